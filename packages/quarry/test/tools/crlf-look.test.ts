import assert from "node:assert/strict";
import { test } from "node:test";
import { openTree } from "./opened.js";

test("fault-71: a pattern of two lines that finds nothing says that it matches where lines end in CR LF, and how to write it", async () => {
  const at = await openTree({ "d/a.txt": "one (1)\r\ntwo\r\nthree\r\n", "b.txt": "other\n" }, { artifacts: false });
  const said = "2 lines match where lines end in CR LF, in d/: write \\r?\\n for the line end";
  for (const pattern of ["one .*\\ntwo", "one .*\ntwo", "one .*\\x0atwo", "one .*\\x{a}two"]) {
    const { text, value } = await at.grep({ pattern });
    assert.equal(value.total, 0, text);
    assert.ok(text.includes(`\n${said}.`), text);
  }
  const literal = await at.grep({ pattern: "one (1)\ntwo", literal: true });
  assert.ok(literal.text.includes(`\n${said}, without literal.`), literal.text);
  assert.equal((await at.grep({ pattern: "one .*\\r?\\ntwo" })).value.total, 2);
  for (const pattern of ["one .*\\r\\nthree", "none\\nat all", "[\\n]{2}", "one [^\\n]*two"]) {
    const { text } = await at.grep({ pattern });
    assert.ok(!text.includes("CR LF"), text);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTree } from "../support/tree.js";
import { quarry } from "./quarry.js";

test("fault-67: look-around is refused with its way out, and that way works", () => {
  const root = makeTree({ f: "foobar\nfoobaz\n" });
  const refused = quarry(root, ["grep", "foo(?!bar)"]);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /INVALID_PATTERN: .*look-around.*--pcre2/);
  const allowed = quarry(root, ["grep", "foo(?!bar)", "--pcre2"]);
  assert.equal(allowed.status, 0, allowed.stderr);
  assert.equal(allowed.stdout, "1 match in 1 file\nf\n2 foobaz\n");
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { shellQuote, shellQuotePath, unquotable } from "#src/executors/shell-quote.js";
import { fromHostBytes } from "#src/paths/path.js";
import { QuarryError } from "#src/errors/errors.js";
import fc from "fast-check";
import { generatedRuns } from "../support/cases.js";

/** What a program gets for these words of a command, byte for byte. */
function words(quoted: readonly string[]): Buffer[] {
  const out = execFileSync("bash", ["-c", `printf '%s\\0' ${quoted.join(" ")}`], { maxBuffer: 1 << 26 });
  const found: Buffer[] = [];
  for (let from = 0; from < out.length;) {
    const end = out.indexOf(0, from);
    found.push(out.subarray(from, end));
    from = end + 1;
  }
  return found;
}

test("[A-043] a value is one word in single quotes", () => {
  assert.equal(shellQuote("a"), "'a'");
  assert.equal(shellQuote(""), "''");
  assert.equal(shellQuote("it's"), "'it'\\''s'");
  assert.equal(shellQuote('-rf $(x) `y` \\ "z"\n'), "'-rf $(x) `y` \\ \"z\"\n'");
});

test("[A-019] NUL and unpaired surrogates cannot be quoted, and the reason says which", () => {
  for (const [value, reason] of [
    ["a\0", /NUL/],
    ["\ud800", /surrogate/],
    ["x\udc80y", /surrogate/],
    ["\udc00\ud800", /surrogate/],
  ] as const) {
    assert.match(unquotable(value) ?? "", reason);
    assert.throws(
      () => shellQuote(value),
      (error) => error instanceof QuarryError && error.code === "INVALID_ARGUMENT" && reason.test(error.message),
    );
  }
  assert.equal(unquotable("\u{1f600}"), null);
});

test("[A-044] fault-08: every value comes through a real bash -c exactly as it is", (t) => {
  const { numRuns, seed } = generatedRuns(t, 2_000);
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "'",
      '"',
      "`",
      "\\",
      "$(touch pwned)",
      "\n",
      "--",
      "-e",
      "!",
      "~",
      "*",
      "\x7f",
      "\u{10ffff}",
      ";",
      "&",
      "|",
    ),
  );
  const values = fc
    .sample(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("").replaceAll("\0", "")),
      { numRuns, seed },
    )
    .filter((value) => unquotable(value) === null);
  for (let code = 1; code < 256; code++) values.push(String.fromCharCode(code), `a'${String.fromCharCode(code)}'b`);
  for (let from = 0; from < values.length; from += 250) {
    const some = values.slice(from, from + 250);
    assert.deepEqual(words(some.map(shellQuote)).map(String), some);
  }
});

test("names keep bytes that are not UTF-8", () => {
  const names = [
    Buffer.from([0x63, 0xe9]),
    Buffer.from([0xff, 0x61, 0x27, 0x80, 0x39]),
    Buffer.from("plain é"),
    Buffer.from([0xe9, 0x0a, 0x5c, 0x41]),
  ];
  assert.deepEqual(words(names.map((name) => shellQuotePath(fromHostBytes(name)))), names);
  assert.equal(shellQuotePath("a b"), "'a b'");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { KernelEngine } from "#src/engines/kernel/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { conformance } from "./conformance.js";
import { ask, makePlace, run } from "./place.js";

conformance("kernel", () => new KernelEngine({ fallback: new RipgrepEngine() }));

test("the end of a file is met wherever it lies: at pages, at windows, and one byte beside them", async () => {
  const around = [4_096, 8_192, 131_072, 262_144, 1_048_576].flatMap((at) => [at - 1, at, at + 1]);
  const tree = Object.fromEntries(
    [7, ...around].map((size) => [
      `f${size}`,
      `${"x".repeat(37)}\n`.repeat(size / 38 + 1).slice(0, size - 7) + "\nneedle",
    ]),
  );
  const place = await makePlace(tree);
  const { found, report } = await run(new KernelEngine({ fallback: new RipgrepEngine() }), place, ask("needle"));
  assert.deepEqual(
    found.map((f) => f.path),
    place.files,
  );
  assert.ok(found.every((f) => f.lines.length === 1 && f.lines[0]?.endsWith(":0:needle") === true));
  assert.deepEqual([report.filesSearched, report.incomplete], [place.files.length, null]);
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { PACKAGE } from "../support/tour.js";

test("a page of 100 matches costs less than 0.85 of the tokens of the best peer's format", () => {
  const ran = spawnSync(process.execPath, [join(PACKAGE, "../../bench/tokens.js"), "--json"], { encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
  const { counts, ratio } = JSON.parse(ran.stdout) as { counts: Record<string, Record<string, number>>; ratio: number };
  assert.deepEqual(Object.keys(counts), ["many", "some", "few"]);
  assert.ok(ratio > 0.3 && ratio < 0.85, ran.stdout);
});

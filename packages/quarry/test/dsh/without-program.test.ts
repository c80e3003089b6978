import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeTree } from "../support/tree.js";
import { installedWithoutProgram } from "../support/without-program.js";

test("[A-104] fault-62: --profile dsh without bash and without ripgrep's program: the same texts and codes", () => {
  const quarry = installedWithoutProgram();
  const root = makeTree({
    "b.ts": "needle 1\n",
    "a/a.ts": "x\nneedle 2\r\n",
    ".hidden.ts": "needle 3\n",
    ".ignore": "out\n",
    "out/o.ts": "needle 4\n",
  });
  for (const [at, path] of ["b.ts", ".hidden.ts", "out/o.ts", "a/a.ts"].entries())
    utimesSync(join(root, path), at + 1, at + 1);
  const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(quarry, "bin/quarry.js"), ...args, "--profile", "dsh", "--root", root],
      { env: { PATH: "" }, encoding: "utf8" },
    );
    return { status, stdout, stderr };
  };
  assert.deepEqual(run("glob", "*.ts"), { status: 0, stdout: "b.ts\n.hidden.ts\nout/o.ts\na/a.ts\n", stderr: "" });
  // A literal is the kernel's; the other pattern needs ripgrep, which is there as WebAssembly.
  for (const pattern of ["needle", "needle\\s+\\d$|ne{2}dle 2\\r"]) {
    assert.deepEqual(run("grep", pattern), {
      status: 0,
      stdout: "Found 2 matches\n\na/a.ts\nLine 2: needle 2\n\nb.ts\nLine 1: needle 1\n",
      stderr: "",
    });
  }
  assert.equal(run("grep", "absent").stdout, "No matches found\n");
  const invalid = run("grep", "(");
  assert.equal(invalid.status, 2);
  assert.match(
    invalid.stdout + invalid.stderr,
    /ripgrep does not take this pattern: rg: regex parse error:[\s\S]*unclosed group/,
  );
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { QuarryError } from "#src/errors/errors.js";
import { TYPE_GLOBS } from "#src/walk/type-table.js";
import { typeRules } from "#src/walk/types.js";
import { makeTree } from "../support/tree.js";
import { rgFiles, walkTree } from "./walk-tree.js";

test("the table is what the packaged ripgrep says", () => {
  const listed = execFileSync(rgPath, ["--no-config", "--type-list"], { encoding: "utf8" }).trimEnd().split("\n");
  assert.deepEqual(
    Object.entries(TYPE_GLOBS).map(([name, globs]) => `${name}: ${globs.join(", ")}`),
    listed,
  );
});

test("every type of the table gives the files of `rg --type`", async () => {
  const names = Object.values(TYPE_GLOBS)
    .flat()
    .map((glob) =>
      glob
        .replaceAll("*", "x")
        .replaceAll(/\[(.)[^\]]*\]/g, "$1")
        .replaceAll("?", "q"),
    );
  const root = makeTree(Object.fromEntries([...names, "Makefile", "README", "odd.zzz"].map((name) => [name, ""])));
  for (const type of Object.keys(TYPE_GLOBS)) {
    const { files } = await walkTree(root, { types: [type] });
    assert.ok(files.length > 0, type);
    if (type.startsWith("c") || type.length < 3) assert.deepEqual(files, rgFiles(root, "--type", type), type);
  }
});

test("fault-17: extensions work as types, empty means unset, what is neither is an error with near names", async () => {
  const root = makeTree({ "a.tsx": "", "b.ts": "", "c.d.ts": "", "d.zig2": "", "e.py": "" });
  const of = async (...types: string[]): Promise<readonly string[]> => (await walkTree(root, { types })).files;
  assert.deepEqual(await of("tsx"), ["a.tsx"]);
  assert.deepEqual(await of(".tsx", "*.py"), ["a.tsx", "e.py"]);
  assert.deepEqual(await of("ts"), ["a.tsx", "b.ts", "c.d.ts"], "rg's ts holds tsx");
  assert.deepEqual(await of("d.ts"), ["c.d.ts"]);
  assert.deepEqual(await of("PY"), ["e.py"]);
  assert.deepEqual(await of("zig2"), ["d.zig2"]);
  assert.deepEqual(await of(""), ["a.tsx", "b.ts", "c.d.ts", "d.zig2", "e.py"]);
  assert.deepEqual(await of(), await of(""));
  assert.match(
    (await walkTree(root, { types: ["pyton"] })).report.notes.join(),
    /taken for the extension \.pyton \(types with a near name: python/,
  );
  for (const wrong of ["java script", "a/b", "*", "x".repeat(50), "pyth*n"]) {
    await assert.rejects(
      of(wrong),
      (e) => e instanceof QuarryError && e.code === "INVALID_ARGUMENT" && e.details.argument === "type",
      wrong,
    );
  }
  assert.throws(
    () => typeRules(["java!"]),
    (e) => e instanceof QuarryError && (e.details.nearNames ?? []).includes("java"),
  );
});

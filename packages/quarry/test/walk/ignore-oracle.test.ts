import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { generatedRuns } from "../support/cases.js";
import { addToTree, makeTree, removeTree } from "../support/tree.js";
import { rule, treeWithRules } from "./generated-trees.js";
import { gitIgnored, gitInit, rgFiles, walkTree } from "./walk-tree.js";

test("fault-39: .gitignore and info/exclude leave out what `git check-ignore` says, in generated trees", async (t) => {
  const spec = fc.tuple(treeWithRules([".gitignore"], true), fc.array(rule(true), { maxLength: 2 }));
  await fc.assert(
    fc.asyncProperty(spec, async ([tree, exclude]) => {
      const root = makeTree(tree);
      gitInit(root);
      const withExclude = exclude.length > 0 ? { ".git/info/exclude": exclude.join("\n") } : {};
      addToTree(root, withExclude);
      const all = Object.keys(tree);
      const ignored = new Set(gitIgnored(root, all));
      const { files } = await walkTree(root);
      assert.deepEqual(new Set(files), new Set(all.filter((path) => !ignored.has(path))));
      removeTree(root);
    }),
    generatedRuns(t, 200),
  );
});

test("all ignore files together give the files and the order of `rg --files`, in generated trees", async (t) => {
  const names = [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"];
  await fc.assert(
    fc.asyncProperty(treeWithRules(names, false), fc.boolean(), async (tree, repository) => {
      const root = makeTree(repository ? { ...tree, ".git": { dir: true } } : tree);
      const { files } = await walkTree(root);
      assert.deepEqual(files, rgFiles(root, "-g", "!.git"));
      removeTree(root);
    }),
    generatedRuns(t, 200),
  );
});

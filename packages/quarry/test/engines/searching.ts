/**
 * A process that searches a watched tree for `needle` whenever it is asked: `argv[2]` is the tree, `argv[3]` the folder with its index. It is asked
 * with a list of files, and answers with those that hold one, how many files it did not ask the system about, and whether it still watches.
 */
import fs from "node:fs";
import { IndexEngine } from "#src/engines/index/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { ask, openPlace, run } from "./place.js";

const [, , root, folder] = process.argv as [string, string, string, string];
const place = await openPlace(fs.realpathSync(root), []);
const engine = new IndexEngine({ fallback: new RipgrepEngine(), folder: () => folder, watches: true });

process.on("message", (files: string[]) => {
  const before = engine.unasked;
  void run(engine, place, ask("needle"), { files }).then(({ found }) => {
    const isWatched = engine.isWatched(place.root);
    process.send?.({ found: found.map(({ path }) => path), unasked: engine.unasked - before, isWatched });
  });
});

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTree } from "../support/tree.js";

/**
 * A program in ripgrep's place, for what the real one cannot be brought to do.
 * @param body of a Node script; `args` are its arguments, `out(text)` writes to standard output (`1:2:3:` as ripgrep's fields), `files` are the places it was given.
 */
export function fakeRipgrep(body: string): string {
  const path = join(makeTree({}), "rg");
  writeFileSync(
    path,
    `#!${process.execPath}\nconst fs = require("node:fs");\nconst args = process.argv.slice(2);\nconst files = args.slice(args.indexOf("--") + 1);\n` +
      `const out = (text) => fs.writeSync(1, typeof text === "string" ? text.replace(/(\\d+):(\\d+):(\\d+):/g, "$1\\0$2\\0$3\\0") : text);\n${body}\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

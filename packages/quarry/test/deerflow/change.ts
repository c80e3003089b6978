import assert from "node:assert/strict";
import { ROOT } from "./place.js";

/** One call of a tool. */
export interface Step {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The file that `changeOfTimeLimit` changes, below the root, and the only text in it that it replaces. */
export const CHANGED = { file: "src/config/tunables.ts", from: "default: 30_000,", to: "default: 45_000," } as const;

/**
 * What a model does to raise the time limit in a copy of this package's sources: glob, grep, read_file, str_replace. It is handed what
 * the tool said, and each step goes on from what the one before it said.
 */
export function* changeOfTimeLimit(): Generator<Step, void, string> {
  const names = yield { name: "glob", args: { pattern: "**/tunables.ts", path: ROOT } };
  const file = /^1\. (.*tunables\.ts)$/m.exec(names)?.[1] ?? "";
  const folder = file.slice(0, file.lastIndexOf("/"));
  const lines = yield { name: "grep", args: { pattern: "timeoutMs: \\{", path: folder, glob: "*.ts" } };
  const place = /^(.*):(\d+): .*timeoutMs: \{$/m.exec(lines);
  assert.equal(place?.[1], file, lines);
  const line = Number(place?.[2]);
  const read = yield { name: "read_file", args: { path: file, start_line: line, end_line: line + 1 } };
  const old = read.split("\n(", 1)[0] ?? "";
  assert.match(old, /^ {2}timeoutMs: \{\n {4}default: 30_000,$/);
  yield { name: "str_replace", args: { path: file, old_str: old, new_str: old.replace(CHANGED.from, CHANGED.to) } };
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { promptSection } from "#src/profiles/deerflow/prompt.js";
import type { ToolKind } from "#src/tools/tool.js";

const on = (...kinds: ToolKind[]): { kind: ToolKind; name: string }[] => kinds.map((kind) => ({ kind, name: kind }));

test("[B-062] names: glob first; symbols, settings and texts: grep first; bash only where these do not reach", () => {
  const said = promptSection(on("ls", "glob", "grep", "read_file", "str_replace", "write_file"), "bash");
  assert.match(said, /name pattern, use `glob` first/);
  assert.match(said, /a symbol, a setting or a text, use `grep` first/);
  assert.match(said, /`read_file` with `start_line` and `end_line`/);
  assert.match(said, /`glob`, then `grep`, then `read_file`, then `str_replace`/);
  assert.match(said, /Use `bash` only where these tools do not reach/);
});

test("it speaks of the tools that are on, by the names they have, and of no other", () => {
  const reading = promptSection(on("glob", "grep", "read_file"));
  assert.doesNotMatch(reading, /str_replace|write_file|bash|`ls`/);
  const named = promptSection([{ kind: "grep", name: "repo_grep" }], "shell");
  assert.match(named, /use `repo_grep` first/);
  assert.doesNotMatch(named, /`grep`|glob|read_file/);
  assert.match(named, /`shell` only/);
  assert.equal(promptSection([]), "");
  assert.equal(promptSection([], "bash"), "");
});

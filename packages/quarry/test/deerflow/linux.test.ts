/** The weak point of the original that its users saw: 5 of 1,058 lines of the Linux source were lost without a word. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { isIgnoredName } from "#src/profiles/deerflow/ignored.js";
import { LocalSandbox } from "#src/tools/local-sandbox.js";
import { Workspace } from "#src/workspace/workspace.js";
import { linuxSource, NO_LINUX_SOURCE } from "../support/corpus.js";
import { ROOT } from "./place.js";

const source = linuxSource();

test(
  "[B-071] kmalloc_array on the Linux source: every line is shown or counted under the reason for which it is not",
  { skip: source === null && NO_LINUX_SOURCE },
  async () => {
    const root = source ?? "";
    const args = ["--no-config", "-uuu", "-n", "--no-heading", "--null", "kmalloc_array", "."];
    const { stdout } = spawnSync(rgPath, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((row) => {
        const [path = "", rest = ""] = row.replace(/^\.\//, "").split("\0");
        return { path, lineNumber: Number.parseInt(rest, 10), text: rest.replace(/^\d+:/, "") };
      });
    const byName = ({ path }: { path: string }): boolean => path.split("/").some(isIgnoredName);
    const byLimit = ({ path, text }: { path: string; text: string }): boolean =>
      text.length > 2_000 || statSync(join(root, path)).size > 1_000_000;
    const workspace = await Workspace.open({ mounts: [{ host: root, name: ROOT.slice(1) }] });
    const sandbox = new LocalSandbox(workspace, { settings: { timeoutMs: 600_000 } });
    const { matches, truncated, skipped } = await sandbox.grep({
      pattern: "kmalloc_array",
      path: ROOT,
      glob: null,
      literal: true,
      caseSensitive: true,
      maxResults: 100_000,
    });
    const wanted = lines
      .filter((line) => !byName(line) && !byLimit(line))
      .map(({ path, lineNumber }) => `${ROOT}/${path}:${lineNumber}`);
    assert.deepEqual(matches.map(({ path, lineNumber }) => `${path}:${lineNumber}`).sort(), wanted.sort());
    assert.equal(truncated, false);
    assert.ok(
      lines.some(byName) && (skipped.ignored ?? 0) > 0,
      "some lie in folders of the ignore set, and the answer says so",
    );
    assert.equal(
      (skipped.tooLarge ?? 0) + (skipped.longLines ?? 0) > 0,
      lines.some((line) => !byName(line) && byLimit(line)),
    );
  },
);

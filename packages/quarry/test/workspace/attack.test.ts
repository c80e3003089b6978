import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_SETTINGS } from "#src/config/settings.js";
import { QuarryError } from "#src/errors/errors.js";
import { readRange } from "#src/files/read.js";
import { readText } from "#src/profiles/quarry/read-text.js";
import { openFolder } from "#src/workspace/guard.js";
import { Workspace } from "#src/workspace/workspace.js";
import { attackPath } from "../support/attack-paths.js";
import { makeTree, type TreeSpec } from "../support/tree.js";

const SECRET = "TOP-SECRET-CONTENT";
const CODES = new Set([
  "OUTSIDE_WORKSPACE",
  "DENIED",
  "NOT_FOUND",
  "NOT_A_DIRECTORY",
  "NOT_A_FILE",
  "INVALID_ARGUMENT",
]);

/** A workspace amid secrets: beside it, above it, behind links, behind a denied name. */
function makeSite(): { site: string; root: string } {
  const tree: TreeSpec = {
    "outside/secret.txt": SECRET,
    "ws-evil/secret.txt": SECRET,
    "secret.txt": SECRET,
    "ws/a/b/ok.txt": "fine",
    "ws/ok.txt": "fine",
    "ws/denied/secret.txt": SECRET,
    "ws/out": { link: "../outside" },
    "ws/outfile": { link: "../outside/secret.txt" },
    "ws/up": { link: ".." },
    "ws/a/up2": { link: "../../.." },
    "ws/in": { link: "a/b" },
    "ws/a/loop": { link: "loop" },
    "ws/to-denied": { link: "denied" },
    "ws/hang": { link: "../outside/none" },
    "ws/pipe": { fifo: true },
    "ws/é": { dir: true },
  };
  const site = makeTree(tree);
  fs.symlinkSync(path.join(site, "outside"), path.join(site, "ws/abs"));
  fs.symlinkSync("/", path.join(site, "ws/slash"));
  return { site, root: path.join(site, "ws") };
}

const { site, root } = makeSite();

const attack = attackPath({
  site,
  root,
  names: [
    "a",
    "b",
    "ok.txt",
    "secret.txt",
    "out",
    "outfile",
    "up",
    "a/up2",
    "in",
    "a/loop",
    "abs",
    "slash",
    "denied",
    "to-denied",
    "hang",
    "pipe",
    "ws",
    "ws-evil",
    "outside",
    "é",
  ],
});

test("fault-09: 1,000 generated paths: nothing outside is opened, and no message holds a host path", async () => {
  const workspaces = await Promise.all(
    [false, true].map((acceptHostPaths) =>
      Workspace.open({ mounts: [{ host: root, denied: ["denied"] }], acceptHostPaths }),
    ),
  );
  const outcomes: Record<string, number> = {};
  const before = fs.readdirSync("/proc/self/fd").length;
  await fc.assert(
    fc.asyncProperty(attack, async (asked) => {
      for (const workspace of workspaces) {
        let said: string;
        try {
          const target = workspace.resolve(asked, "any");
          assert.ok(target.mount.hostRoot === root && !target.path.split("/").includes(".."));
          const host = path.join(root, target.path);
          assert.equal(fs.realpathSync(host), host, "a target is canonical and inside");
          if (target.kind === "file") said = readText(await readRange(workspace, target, {}, DEFAULT_SETTINGS));
          else {
            const folder = openFolder(target.mount, target.path);
            said = folder
              .list()
              .filter((e) => e.kind !== "denied")
              .map((e) => e.name)
              .join("\n");
            folder.close();
          }
          assert.ok(!/ws-evil|^outside$|^denied$/m.test(said), said);
          outcomes["opened"] = (outcomes["opened"] ?? 0) + 1;
        } catch (error) {
          assert.ok(error instanceof QuarryError, `${JSON.stringify(asked)}: ${String((error as Error).stack)}`);
          assert.ok(CODES.has(error.code), `${JSON.stringify(asked)}: ${error.code} ${error.message}`);
          outcomes[error.code] = (outcomes[error.code] ?? 0) + 1;
          said = `${error.message} ${error.remedy} ${(error.details.nearNames ?? []).join(" ")}`;
        }
        assert.ok(!said.includes(SECRET), JSON.stringify(asked));
        assert.ok(!said.includes(root), `${JSON.stringify(asked)}: ${said}`);
      }
    }),
    { numRuns: 1_000, seed: 20_250_109, includeErrorInReport: true },
  );
  assert.equal(fs.readdirSync("/proc/self/fd").length, before, "no descriptor is left open");
  for (const outcome of ["opened", "OUTSIDE_WORKSPACE", "DENIED", "NOT_FOUND", "INVALID_ARGUMENT"]) {
    assert.ok((outcomes[outcome] ?? 0) > 10, `the corpus meets every outcome: ${JSON.stringify(outcomes)}`);
  }
});

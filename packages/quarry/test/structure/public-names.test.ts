/** What a program may import from "quarry": a list, so that nothing becomes public, or goes, by accident. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { PACKAGE } from "../support/tour.js";
import * as quarry from "#src/index.js";

const VALUES = [
  "AuditFile",
  "ENGINE_CHOICES",
  "ERROR_CODES",
  "QuarryError",
  "TUNABLES",
  "Workspace",
  "audited",
  "createWorkspace",
  "loadConfig",
  "openConfigured",
  "tools",
];

const TYPES = [
  "ArtifactRef",
  "AuditEvent",
  "AuditOptions",
  "AuditOutcome",
  "AuditSink",
  "CallOptions",
  "Caller",
  "Configured",
  "ConfiguredMount",
  "ConfiguredTool",
  "Coverage",
  "CreateWorkspaceOptions",
  "EditValue",
  "EngineChoice",
  "ErrorCode",
  "ErrorDetails",
  "ErrorValue",
  "FileCount",
  "GlobValue",
  "GrepValue",
  "IncompleteReason",
  "LsEntry",
  "LsValue",
  "Match",
  "Meta",
  "MountOptions",
  "PageFacts",
  "QuarryConfig",
  "ReadValue",
  "Settings",
  "SkipCounts",
  "Tool",
  "ToolContext",
  "ToolKind",
  "ToolResult",
  "Tools",
  "ToolsOptions",
  "Tunable",
  "TunableName",
];

const INDEX = join(PACKAGE, "src/index.ts");

/** Every name that `index.ts` exports, with the file that declares it. */
function exported(): Map<string, string> {
  const text = readFileSync(INDEX, "utf8");
  const names = new Map<string, string>();
  for (const [, list = "", from = ""] of text.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)) {
    for (const name of list.split(",").map((one) => one.replace(/^\s*type\s+/, "").trim())) {
      if (name !== "") names.set(name, join(dirname(INDEX), from.replace(/\.js$/, ".ts")));
    }
  }
  for (const [, name = ""] of text.matchAll(/^export (?:interface|type|class|function|const) (\w+)/gm))
    names.set(name, INDEX);
  return names;
}

test("the public values are these", () => {
  assert.deepEqual(Object.keys(quarry).sort(), VALUES);
});

test("the public types are these, and each public name has a docstring where it is declared", () => {
  const names = exported();
  assert.deepEqual([...names.keys()].filter((name) => !VALUES.includes(name)).sort(), TYPES);
  const bare: string[] = [];
  for (const [name, file] of names) {
    let text = readFileSync(file, "utf8");
    const passedOn = new RegExp(`export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from "([^"]+)"`).exec(text);
    if (passedOn !== null && file !== INDEX)
      text = readFileSync(join(dirname(file), (passedOn[1] as string).replace(/\.js$/, ".ts")), "utf8");
    const declared = new RegExp(`\\*/\\nexport (?:interface|type|class|async function|function|const) ${name}\\b`).test(
      text,
    );
    if (!declared) bare.push(name);
  }
  assert.deepEqual(bare, []);
});

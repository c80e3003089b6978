import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_SETTINGS } from "#src/config/settings.js";
import type { Settings } from "#src/config/tunables.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import type { EditValue } from "#src/search/values.js";
import { multiEditTool } from "#src/tools/multi-edit.js";
import type { Rooms } from "#src/tools/rooms.js";
import { strReplaceTool } from "#src/tools/str-replace.js";
import type { CallOptions, ErrorValue, Tool, ToolResult } from "#src/tools/tool.js";
import { writeFileTool } from "#src/tools/write-file.js";
import { Workspace, type MountOptions } from "#src/workspace/workspace.js";

/** Locks of these tests go into a cache folder of their own, which their child processes share. */
export const CACHE = mkdtempSync(join(tmpdir(), "quarry-cache-"));
process.env["QUARRY_CACHE_DIR"] = CACHE;
process.on("exit", () => rmSync(CACHE, { recursive: true, force: true }));

type Call = (args: unknown, options?: CallOptions) => Promise<ToolResult<EditValue>>;

export interface EditTools {
  readonly rooms: Rooms;
  readonly replace: Call;
  readonly write: Call;
  readonly multi: Call;
}

/** The edit tools over one folder, or over mounts. */
export async function editTools(
  root: string | readonly MountOptions[],
  settings: Partial<Settings> = {},
): Promise<EditTools> {
  const mounts = typeof root === "string" ? [{ host: root, access: "write" as const }] : root;
  const workspace = await Workspace.open({ mounts });
  const engine = new RipgrepEngine();
  const rooms: Rooms = {
    workspace,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    engine: () => Promise.resolve(engine),
    pcre2: false,
    store: () => null,
  };
  const call =
    (tool: Tool<EditValue>): Call =>
    (args, options) =>
      tool.call(args, options);
  return {
    rooms,
    replace: call(strReplaceTool(rooms)),
    write: call(writeFileTool(rooms)),
    multi: call(multiEditTool(rooms)),
  };
}

/** The value of a call that worked. */
export function done(result: ToolResult<EditValue>): EditValue {
  if (result.isError) throw new Error(`refused: ${result.text}`);
  return result.value;
}

/** The error of a call that was refused. */
export function refused(result: ToolResult<EditValue>): ErrorValue["error"] & { readonly text: string } {
  if (!result.isError) throw new Error(`not refused: ${result.text}`);
  return { ...result.value.error, text: result.text };
}

export function bytesOf(root: string, name: string): Buffer {
  return readFileSync(join(root, name));
}

export function textOf(root: string, name: string): string {
  return readFileSync(join(root, name), "utf8");
}

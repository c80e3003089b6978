import { resolveSettings } from "../config/settings.js";
import { QuarryError } from "../errors/errors.js";
import type { Workspace } from "../workspace/workspace.js";
import { artifactStore } from "./artifact-store.js";
import { tools, type ToolsOptions } from "./registry.js";
import type { Tool } from "./tool.js";

/** The faces towards a model: tool names, schemas, caps, texts. */
export const PROFILES = ["quarry", "dsh"] as const;
export type Profile = (typeof PROFILES)[number];

/**
 * The tools of a profile over one workspace. `dsh` has `glob` and `grep` alone, with its own caps; `engine` and `write` do not concern it.
 * @throws QuarryError INVALID_ARGUMENT for a profile that does not exist, ENGINE_UNAVAILABLE for `dsh` where there is no ripgrep.
 */
export async function profileTools(
  workspace: Workspace,
  profile: Profile,
  options: ToolsOptions & { readonly artifacts: Exclude<ToolsOptions["artifacts"], undefined> },
): Promise<readonly Tool[]> {
  switch (profile) {
    case "quarry":
      return Object.values(tools(workspace, options));
    case "dsh": {
      const { dshTools } = await import("./dsh.js");
      const timeoutMs = options.settings?.timeoutMs;
      const store = artifactStore(workspace, options.artifacts, resolveSettings(options.settings));
      const made = await dshTools({
        workspace,
        store,
        ...(timeoutMs === undefined ? {} : { settings: { timeoutMs } }),
      });
      if (made.length > 0) return made;
      throw new QuarryError("ENGINE_UNAVAILABLE", "the profile dsh searches with ripgrep, and there is none here", {
        remedy: "Install ripgrep, or use the profile quarry, whose other engines need none.",
      });
    }
    default:
      throw new QuarryError(
        "INVALID_ARGUMENT",
        `unknown profile ${JSON.stringify(profile)}; known are ${PROFILES.join(", ")}`,
        {
          argument: "profile",
        },
      );
  }
}

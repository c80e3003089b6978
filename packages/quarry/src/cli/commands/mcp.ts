import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { AuditFile } from "../../audit/file.js";
import { audited } from "../../audit/audited.js";
import { resolveSettings } from "../../config/settings.js";
import { QuarryError } from "../../errors/errors.js";
import { CLIENTS, clientConfig, type ClientName } from "../../mcp/client-config.js";
import { localArtifacts } from "../../mcp/local-artifacts.js";
import { takeStdout } from "../../mcp/stdout-guard.js";
import { cacheFolder } from "../../spill/cache-folder.js";
import { LocalSpillStore } from "../../spill/local.js";
import { PROFILES, profileMounts, profileTools, type Profile } from "../../tools/profiles.js";
import { ENGINE_CHOICES, type EngineChoice } from "../../tools/registry.js";
import type { Tool } from "../../tools/tool.js";
import { Workspace } from "../../workspace/workspace.js";
import { addConfigOptions, callerOf, openFromConfig, readConfig, type ConfigOptions } from "../configured.js";
import { milliseconds } from "../options.js";
import { print } from "../run.js";
import { chooseRoots } from "../session.js";

interface McpOptions {
  readonly root?: string[];
  readonly tools?: string;
  readonly toolPrefix: string;
  readonly structured?: boolean;
  readonly allowWrite?: boolean;
  readonly audit?: string;
  readonly engine?: EngineChoice;
  readonly timeout?: string;
  readonly profile: Profile;
  readonly pcre2?: boolean;
  readonly printConfig?: ClientName;
  readonly config?: string;
  readonly thread?: string;
  readonly groups?: string;
}

/** @param version of this package, told to the client. */
export function mcpCommand(version: string): Command {
  return addConfigOptions(new Command("mcp").description("serve the tools to an MCP client over stdio"))
    .option(
      "--root <folder>",
      "folder to serve; repeatable (default: the client's roots, else the folder you are in)",
      (one: string, all: string[] = []) => [...all, one],
    )
    .option("--tools <names>", "serve only these, e.g. grep,glob,read_file")
    .option("--tool-prefix <text>", "put this in front of every tool's name, e.g. quarry_", "")
    .option("--allow-write", "also serve the tools that change files: str_replace, multi_edit, write_file")
    .option("--structured", "output schemas and structured content beside the text, for programs")
    .option("--audit <file>", "append one JSON line for each call; contents are never in it")
    .option("--engine <name>", `${ENGINE_CHOICES.join(", ")} (default auto)`)
    .option("--pcre2", "allow look-around and backreferences in patterns (ripgrep's own program only)")
    .option("--timeout <span>", "time limit of a call, e.g. 500ms, 10s, 2m (default 30s)")
    .addOption(new Option("--profile <name>", "whose tools, caps and texts").choices([...PROFILES]).default("quarry"))
    .addOption(
      new Option("--print-config <client>", "print the block that makes a client start this server, and end").choices([
        ...CLIENTS,
      ]),
    )
    .action((options: McpOptions) =>
      options.printConfig === undefined ? serve(options, version) : printConfig(options.printConfig, options),
    );
}

async function serve(options: McpOptions, version: string): Promise<void> {
  const output = takeStdout();
  const log = (line: string): void => void process.stderr.write(`quarry mcp: ${line}\n`);
  const roots = (options.root ?? []).map((root) => resolve(root));
  if (options.profile !== "quarry" && options.structured === true) {
    throw new QuarryError("INVALID_ARGUMENT", "--structured goes with the profile quarry alone; others have texts", {
      argument: "structured",
    });
  }
  const config = await readConfig(withoutDefaults(options));
  const structuredFits = config === null || (config.profile === "quarry" && config.tools === null);
  if (options.structured === true && !structuredFits)
    throw new QuarryError("INVALID_ARGUMENT", "--structured goes with the profile quarry and all its tools alone", {
      argument: "structured",
    });
  const settings = resolveSettings({
    ...config?.settings,
    ...(options.timeout === undefined ? {} : { timeoutMs: milliseconds(options.timeout) }),
  });
  const owner = `mcp:${randomUUID()}`;
  const write = options.allowWrite === true;
  const toolsOptions: Parameters<typeof profileTools>[2] = {
    settings,
    buildIndex: true,
    write,
    pcre2: options.pcre2 === true,
    artifacts: { owner },
    ...(options.engine === undefined ? {} : { engine: options.engine }),
  };
  const artifacts = localArtifacts(() => LocalSpillStore.open(cacheFolder(), owner, settings).folder);
  const audit = options.audit === undefined ? null : AuditFile.open(options.audit, settings, log);
  const make = async (
    folders: readonly string[],
  ): Promise<{ readonly workspace: Workspace; readonly made: readonly Tool[] }> => {
    if (config !== null) {
      const { workspace, tools } = await openFromConfig(config, { ...callerOf(options, { owner }), buildIndex: true });
      return { workspace, made: tools };
    }
    const workspace = await Workspace.open({
      mounts: profileMounts(options.profile, folders, write ? "write" : "read"),
      acceptHostPaths: options.profile !== "deerflow",
    });
    return { workspace, made: await profileTools(workspace, options.profile, toolsOptions) };
  };
  // A folder that does not exist ends the start. Where none is named, the tools are described over this program's own; those
  // are never called.
  const described = await make(roots.length > 0 ? roots : [fileURLToPath(new URL(".", import.meta.url))]);
  // The SDK is loaded by this command alone: it takes longer than all else together.
  const { serveClient } = await import("../../mcp/serve.js");
  await serveClient({
    version,
    describe: described.made,
    roots,
    fixed: config !== null,
    artifacts,
    fallback: () => chooseRoots(undefined),
    open: async (folders) => {
      const { workspace, made } = await make(folders);
      return {
        tools: audit === null ? made : audited(made, audit, { mask: (text) => workspace.mask(text) }),
      };
    },
    log,
    offer: {
      prefix: options.toolPrefix,
      structured: options.structured === true,
      ...(options.tools === undefined ? {} : { only: options.tools.split(",").map((name) => name.trim()) }),
    },
    callsAtOnce: settings.mcpCalls,
    input: process.stdin,
    output,
  });
  audit?.close();
  process.exit(0);
}

/** The options that were given: the profile's default is none of them. */
function withoutDefaults({ profile, ...options }: McpOptions): ConfigOptions {
  return profile === "quarry" ? options : { ...options, profile };
}

function printConfig(client: ClientName, options: McpOptions): void {
  const { config } = options;
  const roots = config === undefined ? chooseRoots(options.root).flatMap((root) => ["--root", resolve(root)]) : [];
  const rest = [
    ...(config === undefined ? [] : ["--config", resolve(config)]),
    ...(options.thread === undefined ? [] : ["--thread", options.thread]),
    ...(options.groups === undefined ? [] : ["--groups", options.groups]),
    ...(options.tools === undefined ? [] : ["--tools", options.tools]),
    ...(options.toolPrefix === "" ? [] : ["--tool-prefix", options.toolPrefix]),
    ...(options.allowWrite === true ? ["--allow-write"] : []),
    ...(options.structured === true ? ["--structured"] : []),
    ...(options.audit === undefined ? [] : ["--audit", resolve(options.audit)]),
    ...(options.engine === undefined ? [] : ["--engine", options.engine]),
    ...(options.timeout === undefined ? [] : ["--timeout", options.timeout]),
    ...(options.pcre2 === true ? ["--pcre2"] : []),
    ...(options.profile === "quarry" ? [] : ["--profile", options.profile]),
  ];
  const quarry = fileURLToPath(new URL("../../../bin/quarry.js", import.meta.url));
  print(clientConfig(client, { command: process.execPath, args: [quarry, "mcp", ...roots, ...rest] }).block);
}

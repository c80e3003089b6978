import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import nodePath from "node:path";
import { QuarryError } from "../errors/errors.js";
import { ACP_ROOT, SKILLS_ROOT, type Profile } from "./choices.js";
import { isWithin, realFolder } from "./folders.js";
import { configError, type Problem } from "./problems.js";
import type { ConfigFile } from "./schema.js";
import { resolveSettings } from "./settings.js";
import type { Settings } from "./tunables.js";

/** A folder of the configuration, resolved. */
export interface ConfiguredMount {
  /** The virtual folder, with the slash in front. */
  readonly path: string;
  /** Absolute host folder. Never in a text. */
  readonly host: string;
  readonly access: "read" | "write";
  readonly denied: readonly string[];
  readonly disabled: readonly string[];
}

/** A tool of the configuration. */
export interface ConfiguredTool {
  readonly name: string;
  readonly group: string;
  /** The two halves of `use`. */
  readonly module: string;
  readonly export: string;
  /** A ceiling that no call lifts; null for none. */
  readonly maxResults: number | null;
  /** For a tool of the operator's own. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Where it stands in the file, for errors. */
  readonly line: number;
}

/** A configuration file, checked, with every default filled in. */
export interface QuarryConfig {
  /** The file's name, without its folder: what errors call it. */
  readonly file: string;
  /** Absolute path of the file. Never in a text. */
  readonly location: string;
  readonly profile: Profile;
  readonly engine: ConfigFile["engine"];
  readonly settings: Settings;
  readonly mounts: readonly ConfiguredMount[];
  /** The host folder that holds a folder for each thread; null where there are no threads. Never in a text. */
  readonly threads: string | null;
  /** null: all tools of the profile. */
  readonly tools: readonly ConfiguredTool[] | null;
  /** The groups that are on. */
  readonly groups: readonly string[];
}

/** Larger files are refused unread. */
const MAX_BYTES = 65_536;

/**
 * Reads and checks a configuration file.
 * @param location host path of the file; a relative one starts at the current directory.
 * @throws QuarryError CONFIG_INVALID with every problem, one a line, in the order of the file: file name, line, key, and what is
 * accepted. No host path is in it.
 */
export async function loadConfig(location: string): Promise<QuarryConfig> {
  const path = nodePath.resolve(location);
  const file = nodePath.basename(path);
  const text = readText(path, file);
  const { readYaml } = await import("./yaml-file.js");
  const content = readYaml(text);
  if (!("value" in content)) throw configError(file, content);
  const [{ CONFIG_SCHEMA }, { explain }, { check }] = await Promise.all([
    import("./schema.js"),
    import("./explain.js"),
    import("./checks.js"),
  ]);
  const folder = nodePath.dirname(path);
  const parsed = CONFIG_SCHEMA.safeParse(content.value ?? {});
  const problems: Problem[] = [
    ...(parsed.success ? [] : explain(parsed.error.issues, content)),
    ...check({ ...content, value: content.value ?? {} }, folder),
  ];
  if (problems.length > 0 || !parsed.success) throw configError(file, problems);
  const { profile, engine, limits, groups, tools } = parsed.data;
  const threads = realFolder(folder, parsed.data.threads?.host ?? null);
  // A mount around the folder of all threads shows no thread's files to another one.
  const mounts = mountsOf(parsed.data, folder).map((mount) => {
    const real = realFolder(folder, mount.host);
    const around = threads !== null && real !== null && isWithin(threads, real);
    if (!around) return mount;
    return { ...mount, denied: [...mount.denied, nodePath.relative(real, threads).replaceAll(nodePath.sep, "/")] };
  });
  return {
    file,
    location: path,
    profile,
    engine,
    settings: resolveSettings(limits as Partial<Settings>),
    mounts,
    threads,
    tools:
      tools?.map(({ name, group, use, max_results, options }, i) => ({
        name,
        group,
        module: use.slice(0, use.lastIndexOf(":")),
        export: use.slice(use.lastIndexOf(":") + 1),
        maxResults: max_results ?? null,
        options: options ?? {},
        line: content.lineOf(["tools", i, "use"]),
      })) ?? null,
    groups: [...new Set(groups)],
  };
}

function mountsOf({ mounts, skills, acp_workspace }: ConfigFile, folder: string): ConfiguredMount[] {
  const one = (
    path: string,
    host: string,
    access: "read-only" | "read-write",
    rules: Partial<Pick<ConfiguredMount, "denied" | "disabled">> = {},
  ): ConfiguredMount => ({
    path,
    host: nodePath.resolve(folder, host),
    access: access === "read-write" ? "write" : "read",
    denied: rules.denied ?? [],
    disabled: rules.disabled ?? [],
  });
  return [
    ...mounts.map(({ path, host, access, denied }) => one(path, host, access, { denied })),
    ...(skills === undefined ? [] : [one(SKILLS_ROOT, skills.host, "read-only", { disabled: skills.disabled })]),
    ...(acp_workspace === undefined ? [] : [one(ACP_ROOT, acp_workspace.host, acp_workspace.access)]),
  ];
}

function readText(path: string, file: string): string {
  const refuse = (text: string): QuarryError => new QuarryError("CONFIG_INVALID", `${file} ${text}`);
  let bytes: Buffer;
  try {
    // Without waiting: a pipe of that name would never end.
    const fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      if (!fs.fstatSync(fd).isFile()) throw refuse("is not a file");
      const buffer = Buffer.alloc(MAX_BYTES + 1);
      let got = 0;
      for (let n = -1; n !== 0 && got < buffer.length; got += n)
        n = fs.readSync(fd, buffer, got, buffer.length - got, got);
      bytes = buffer.subarray(0, got);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    throw refuse((error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : "cannot be read");
  }
  if (bytes.length > MAX_BYTES) throw refuse(`is larger than ${MAX_BYTES} bytes`);
  if (!isUtf8(bytes)) throw refuse("is not UTF-8 text");
  return bytes.toString("utf8");
}

import fs from "node:fs";
import nodePath from "node:path";
import {
  ACP_ROOT,
  PROFILES,
  PROFILE_TOOLS,
  READ_GROUP,
  SKILLS_ROOT,
  THREAD_FOLDERS,
  THREAD_ROOT,
  WRITE_GROUP,
  WRITING_KINDS,
  type Profile,
} from "./choices.js";
import { keyName, valueAt } from "./explain.js";
import { shown, type Problem } from "./problems.js";
import type { YamlContent } from "./yaml-file.js";

/**
 * What a schema cannot say: folders that exist, places that are taken twice, tools and groups that there are. Reads the values as
 * they came, so that a file with other mistakes gets these told too.
 * @param folder the configuration file's own.
 */
export function check(content: YamlContent, folder: string): Problem[] {
  const { value } = content;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const problems: Problem[] = [];
  const say = (path: readonly PropertyKey[], text: string): void =>
    void problems.push({ line: content.lineOf(path), text: `${keyName(path)} ${text}` });
  const text = (...path: PropertyKey[]): string | null => {
    const found = valueAt(value, path);
    return typeof found === "string" ? found : null;
  };
  const count = (key: string): number => {
    const found = valueAt(value, [key]);
    return Array.isArray(found) ? found.length : 0;
  };
  const indexes = (key: string): number[] => Array.from({ length: count(key) }, (_, i) => i);

  const hosts: PropertyKey[][] = [
    ...indexes("mounts").map((i) => ["mounts", i, "host"]),
    ...["threads", "skills", "acp_workspace"].map((key) => [key, "host"]),
  ];
  for (const path of hosts) {
    const host = text(...path);
    if (host !== null && host !== "" && realFolder(folder, host) === null)
      say(path, "is not an existing folder; accepted is the path of one, relative to this file");
  }
  const given = ["mounts", "threads", "skills", "acp_workspace"].map((key) => valueAt(value, [key]));
  if (given.every((one) => one === undefined || (Array.isArray(one) && one.length === 0)))
    problems.push({
      line: 1,
      text: "no folder is named; at least one of mounts, threads, skills, acp_workspace is needed",
    });

  const threads = realFolder(folder, text("threads", "host"));
  for (const path of hosts.filter(([key]) => key !== "threads")) {
    const real = realFolder(folder, text(...path));
    if (threads !== null && real !== null && isWithin(real, threads))
      say(path, "lies in the folder of all threads; accepted is a folder outside of it");
  }

  const taken = new Map<string, string>();
  const take = (place: string, by: string): string | undefined => {
    const key = place.normalize("NFC").toLowerCase();
    const before = taken.get(key);
    if (before === undefined) taken.set(key, by);
    return before;
  };
  if (valueAt(value, ["threads"]) !== undefined)
    for (const one of THREAD_FOLDERS) take(`${THREAD_ROOT}/${one}`, "threads");
  if (valueAt(value, ["skills"]) !== undefined) take(SKILLS_ROOT, "skills");
  if (valueAt(value, ["acp_workspace"]) !== undefined) take(ACP_ROOT, "acp_workspace");
  for (const i of indexes("mounts")) {
    const path = text("mounts", i, "path");
    const before = path === null ? undefined : take(path, `mounts[${i}]`);
    if (before !== undefined)
      say(["mounts", i, "path"], `is ${shown(path)}, which is the place of ${before}; accepted is another one`);
  }

  const names = new Map<string, number>();
  const groups = new Set<string>(valueAt(value, ["tools"]) === undefined ? [READ_GROUP, WRITE_GROUP] : []);
  for (const i of indexes("tools")) {
    const name = text("tools", i, "name");
    const before = name === null ? undefined : names.get(name);
    if (before !== undefined)
      say(["tools", i, "name"], `is ${shown(name)}, as tools[${before}].name is; accepted is another one`);
    else if (name !== null) names.set(name, i);
    const group = text("tools", i, "group");
    if (group !== null) groups.add(group);
    const use = text("tools", i, "use");
    const own = use === null ? null : /^quarry\/([^:]*):(.*)$/.exec(use);
    if (own === null) continue;
    const kind = builtIn(own[1] ?? "", own[2] ?? "");
    if (kind === null)
      say(["tools", i, "use"], `is ${shown(use)}, which there is not; accepted of Quarry's own are ${builtIns()}`);
    else if (WRITING_KINDS.has(kind) && group === READ_GROUP)
      say(
        ["tools", i, "group"],
        `is ${shown(group)}, and ${kind} changes files; accepted is another group, such as ${WRITE_GROUP}`,
      );
  }
  for (const i of indexes("groups")) {
    const group = text("groups", i);
    if (group !== null && !groups.has(group))
      say(["groups", i], `is ${shown(group)}, which no tool is in; accepted are ${[...groups].join(", ")}`);
  }
  return problems;
}

/** One of Quarry's own tools by its profile and what it does; null where there is none. */
function builtIn(profile: string, kind: string): (typeof PROFILE_TOOLS)[Profile][number] | null {
  const known = PROFILES.find((one) => one === profile);
  return known === undefined ? null : (PROFILE_TOOLS[known].find((one) => one === kind) ?? null);
}

function builtIns(): string {
  return PROFILES.map((profile) => `quarry/${profile}: with ${PROFILE_TOOLS[profile].join(", ")}`).join("; ");
}

/** The canonical folder that a `host` of the file names; null where there is none. */
export function realFolder(folder: string, host: string | null): string | null {
  if (host === null || host === "" || host.includes("\0")) return null;
  try {
    const real = fs.realpathSync.native(nodePath.resolve(folder, host));
    return fs.statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

/** True where `path` is `folder` or lies in it; both canonical. */
export function isWithin(path: string, folder: string): boolean {
  const way = nodePath.relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(way));
}

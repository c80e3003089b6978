import type { ToolKind } from "../tools/tool.js";
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
} from "./choices.js";
import { keyName, valueAt } from "./explain.js";
import { isWithin, realFolder } from "./folders.js";
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
  const reading = new Reading(content);
  checkFolders(reading, folder);
  checkPlaces(reading);
  checkTools(reading);
  return reading.problems;
}

type Path = readonly PropertyKey[];

/** The values of a file, whatever they are, and what was found wrong with them. */
class Reading {
  readonly problems: Problem[] = [];
  readonly #content: YamlContent;

  constructor(content: YamlContent) {
    this.#content = content;
  }

  say(path: Path, text: string): void {
    const subject = path.length === 0 ? "" : `${keyName(path)} `;
    this.problems.push({ line: path.length === 0 ? 1 : this.#content.lineOf(path), text: subject + text });
  }

  at(...path: Path): unknown {
    return valueAt(this.#content.value, path);
  }

  has(...path: Path): boolean {
    return this.at(...path) !== undefined;
  }

  text(...path: Path): string | null {
    const found = this.at(...path);
    return typeof found === "string" ? found : null;
  }

  /** The indexes of a list; none where there is no list. */
  indexes(key: string): number[] {
    const found = this.at(key);
    return Array.isArray(found) ? [...found.keys()] : [];
  }
}

function checkFolders(reading: Reading, folder: string): void {
  const hosts: Path[] = [
    ...reading.indexes("mounts").map((i) => ["mounts", i, "host"]),
    ...["threads", "skills", "acp_workspace"].map((key) => [key, "host"]),
  ];
  const threads = realFolder(folder, reading.text("threads", "host"));
  for (const path of hosts) {
    const host = reading.text(...path);
    if (host === null || host === "") continue;
    const real = realFolder(folder, host);
    if (real === null)
      reading.say(path, "is not an existing folder; accepted is the path of one, relative to this file");
    else if (threads !== null && path[0] !== "threads" && isWithin(real, threads))
      reading.say(path, "lies in the folder of all threads; accepted is a folder outside of it");
  }
  const given = ["mounts", "threads", "skills", "acp_workspace"].map((key) => reading.at(key));
  if (given.every((one) => one === undefined || (Array.isArray(one) && one.length === 0)))
    reading.say([], "no folder is named; at least one of mounts, threads, skills, acp_workspace is needed");
}

/** No two of them are the same, also for a reader who does not see letter case. */
function checkPlaces(reading: Reading): void {
  const taken = new Map<string, string>();
  const take = (place: string, by: string): string | undefined => {
    const key = place.toLowerCase();
    const before = taken.get(key);
    if (before === undefined) taken.set(key, by);
    return before;
  };
  if (reading.has("threads")) for (const name of THREAD_FOLDERS) take(`${THREAD_ROOT}/${name}`, "threads");
  if (reading.has("skills")) take(SKILLS_ROOT, "skills");
  if (reading.has("acp_workspace")) take(ACP_ROOT, "acp_workspace");
  for (const i of reading.indexes("mounts")) {
    const path = reading.text("mounts", i, "path");
    const before = path === null ? undefined : take(path, `mounts[${i}]`);
    if (before !== undefined)
      reading.say(["mounts", i, "path"], `is ${shown(path)}, which is the place of ${before}; accepted is another one`);
  }
}

function checkTools(reading: Reading): void {
  const names = new Map<string, number>();
  const groups = new Set<string>(reading.has("tools") ? [] : [READ_GROUP, WRITE_GROUP]);
  for (const i of reading.indexes("tools")) {
    const name = reading.text("tools", i, "name");
    const before = name === null ? undefined : names.get(name);
    if (before !== undefined)
      reading.say(["tools", i, "name"], `is ${shown(name)}, as tools[${before}].name is; accepted is another one`);
    else if (name !== null) names.set(name, i);
    const group = reading.text("tools", i, "group");
    if (group !== null) groups.add(group);
    checkBuiltIn(reading, i, group);
  }
  for (const i of reading.indexes("groups")) {
    const group = reading.text("groups", i);
    if (group !== null && !groups.has(group))
      reading.say(["groups", i], `is ${shown(group)}, which no tool is in; accepted are ${[...groups].join(", ")}`);
  }
}

/** One of Quarry's own tools is there, stands in a group that fits it, and is told nothing that it does not know. */
function checkBuiltIn(reading: Reading, i: number, group: string | null): void {
  const use = reading.text("tools", i, "use");
  const own = use === null ? null : /^quarry\/([^:]*):(.*)$/.exec(use);
  if (own === null) return;
  const kind = builtIn(own[1] ?? "", own[2] ?? "");
  if (kind === null) {
    const known = PROFILES.map((profile) => `quarry/${profile}: with ${PROFILE_TOOLS[profile].join(", ")}`).join("; ");
    reading.say(["tools", i, "use"], `is ${shown(use)}, which there is not; accepted of Quarry's own are ${known}`);
    return;
  }
  if (WRITING_KINDS.has(kind) && group === READ_GROUP) {
    const remedy = `accepted is another group, such as ${WRITE_GROUP}`;
    reading.say(["tools", i, "group"], `is ${shown(group)}, and ${kind} changes files; ${remedy}`);
  }
  if (kind !== "glob" && kind !== "grep" && reading.has("tools", i, "max_results"))
    reading.say(["tools", i, "max_results"], `goes with glob and grep alone; accepted for ${kind} is nothing`);
  if (reading.has("tools", i, "options"))
    reading.say(["tools", i, "options"], "goes with tools of your own alone; accepted for Quarry's own is nothing");
}

/** One of Quarry's own tools by its profile and what it does; null where there is none. */
function builtIn(profile: string, kind: string): ToolKind | null {
  const known = PROFILES.find((one) => one === profile);
  return known === undefined ? null : (PROFILE_TOOLS[known].find((one) => one === kind) ?? null);
}

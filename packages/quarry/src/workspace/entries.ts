import fs from "node:fs";
import { compareNames, fromHostBytes } from "../paths/path.js";
import type { Rule } from "./denied.js";
import { below, type HostPath } from "./system.js";

/** One name in a folder. Where its kind is a rule, that leaves it out; it may be counted, its name goes nowhere. */
export interface RawEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "special" | Rule;
}

/** The names in a folder except `.` and `..`, by their bytes. */
export function readNames(access: HostPath): RawEntry[] {
  return sortByName(names(access));
}

function names(access: HostPath): RawEntry[] {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(access, { withFileTypes: true });
  } catch (error) {
    // Where a file system does not tell types, Node asks for each, and one name that vanishes meanwhile fails the whole.
    if ((error as NodeJS.ErrnoException).syscall === "lstat") return readNamesByLook(access);
    throw error;
  }
  const out: RawEntry[] = new Array(entries.length);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as fs.Dirent;
    if (entry.name.includes("\ufffd")) return readNamesByLook(access);
    out[i] = { name: entry.name, kind: entryKind(entry) };
  }
  return out;
}

/** For the few folders with names that are not UTF-8 or with types that the file system does not tell. */
export function readNamesByLook(access: HostPath): RawEntry[] {
  const out: RawEntry[] = [];
  for (const bytes of fs.readdirSync(access, { encoding: "buffer" })) {
    const name = fromHostBytes(bytes);
    const stat = fs.lstatSync(below(access, name), { throwIfNoEntry: false });
    if (stat !== undefined) out.push({ name, kind: entryKind(stat) });
  }
  return out;
}

function entryKind(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): "file" | "directory" | "link" | "special" {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "special";
}

// UTF-16 order is byte order as long as no surrogate (pairs, raw bytes) or character above them takes part.
const ODD_ORDER = /[\ud800-\uffff]/;

function sortByName(entries: RawEntry[]): RawEntry[] {
  if (entries.some((e) => ODD_ORDER.test(e.name))) entries.sort((a, b) => compareNames(a.name, b.name));
  else entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return entries;
}

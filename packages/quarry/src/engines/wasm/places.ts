import type { FileBatch } from "../../search/engine.js";
import type { Part, Places } from "../ripgrep/part.js";
import { servedNumber } from "./names.js";

/** Files of one run: starting one costs about as much as searching fifty. */
const PART_FILES = 1_000;

/** Cuts `batch.files[from, to)` into parts of like size. Names do not matter: ripgrep does not see them. */
export function cutByCount(batch: FileBatch, from: number, to: number, without: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  const count = Math.ceil((to - from) / PART_FILES);
  for (let i = 0; i < count; i++) {
    const start = from + Math.floor(((to - from) * i) / count);
    const end = from + Math.floor(((to - from) * (i + 1)) / count);
    parts.push({ batch, from: start, to: end, without, huge: false, tried: 0 });
  }
  return parts;
}

/** The indices of a part's files; their numbers are the places in this list. */
export function partFiles({ from, to, without }: Part): number[] {
  const indices: number[] = [];
  for (let index = from; index < to; index++) if (!without.has(index)) indices.push(index);
  return indices;
}

/** The folder that holds the part's files under their numbers. */
export function servedPlaces(part: Part): Places {
  const indices = partFiles(part);
  return {
    args: indices.length === 0 ? [] : ["./"],
    files: [],
    named: [],
    usesTrees: false,
    unreadable: [],
    indexOf(printed) {
      if (!printed.startsWith("./")) return undefined;
      const name = Buffer.from(printed.slice(2), "latin1");
      const number = servedNumber(name, 0, name.length);
      return number === -1 ? undefined : indices[number];
    },
  };
}

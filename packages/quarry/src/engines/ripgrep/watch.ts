import fs from "node:fs";
import { toHostBytes, type RelPath } from "../../paths/path.js";
import type { Ground } from "./ground.js";
import type { Part } from "./part.js";
import type { Runner, Slot } from "./slot.js";

const TICK_MS = 150;
/** A process that grows over this is ended; its large files are then searched alone. */
const MEMORY_BYTES = 192 * 1_048_576;
/** What a process with one file, or one that keeps whole files, may take. */
const LARGE_MEMORY_BYTES = 448 * 1_048_576;
/** Files from this size on may hold lines that need much memory. */
const LARGE_FILE_BYTES = 4_194_304;

/**
 * Looks after running processes: one that waits for a pipe which took a file's place after the walk, or whose memory grows
 * without bound (a line of tens of MB with millions of matches), is ended, and its slot marked for another try.
 */
export class Watch {
  readonly #slots: readonly Slot[];
  readonly #ground: Ground;
  readonly #multiline: boolean;
  readonly #timer: NodeJS.Timeout;
  /** The first slot's process and how many ticks it has printed nothing. */
  #silent: { slot: Slot | null; records: number; ticks: number } = { slot: null, records: 0, ticks: 0 };

  constructor(slots: readonly Slot[], ground: Ground, multiline: boolean) {
    this.#slots = slots;
    this.#ground = ground;
    this.#multiline = multiline;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    for (const slot of this.#slots) {
      if (!slot.running || slot.retry !== null) continue;
      const limit = slot.part.huge || this.#multiline ? LARGE_MEMORY_BYTES : MEMORY_BYTES;
      if ((slot.process?.memoryBytes ?? 0) > limit) end(slot, "memory");
    }
    const head = this.#slots[0];
    if (head === undefined || !head.running || head.retry !== null) return;
    if (this.#silent.slot !== head || this.#silent.records !== head.reader.records) {
      this.#silent = { slot: head, records: head.reader.records, ticks: 0 };
    }
    this.#silent.ticks += 1;
    // Ever more rarely: 1, 2, 4, 8, ... ticks.
    const { ticks } = this.#silent;
    if ((ticks & (ticks - 1)) === 0 && specials(head, this.#ground).length > 0) end(head, "blocked");
  }
}

function end(slot: Slot, why: "blocked" | "memory"): void {
  slot.retry = why;
  slot.process?.kill();
}

/** What is left of a part whose process we ended. */
export interface Remainder {
  readonly parts: readonly Part[];
  /** Files that are no regular files any more, by index. */
  readonly unreadable: readonly number[];
  /** What cannot be searched in any way; null where everything can. */
  readonly words: string | null;
}

/** How to go on behind the last file that the slot handed on. */
export function remainder(slot: Slot, { host, ground, query: { multiline } }: Runner): Remainder {
  const { part } = slot;
  const next = slot.done + 1;
  const cut = host.cut.bind(host);
  if (slot.retry === "lost") {
    const parts = cut(part.batch, next, part.to, part.without, multiline);
    return {
      parts: parts.map((one) => ({ ...one, huge: part.huge, tried: part.tried + 1 })),
      unreadable: [],
      words: null,
    };
  }
  if (slot.retry === "blocked") {
    const unreadable = specials(slot, ground);
    return {
      parts: cut(part.batch, next, part.to, new Set([...part.without, ...unreadable]), multiline),
      unreadable,
      words: null,
    };
  }
  const large = largeFiles(part, next, ground);
  if (part.huge || multiline) {
    const without = new Set([...part.without, ...(part.huge ? [part.from] : large)]);
    const parts = large.length === 0 || part.huge ? [] : cut(part.batch, next, part.to, without, multiline);
    return {
      parts,
      unreadable: [],
      words: `ripgrep needs too much memory for ${large.length === 1 ? "a file" : `${large.length} files`} of this size`,
    };
  }
  const parts: Part[] = [];
  let from = next;
  for (const index of large) {
    parts.push(...cut(part.batch, from, index, part.without, multiline));
    parts.push({ batch: part.batch, from: index, to: index + 1, without: part.without, huge: true, tried: 0 });
    from = index + 1;
  }
  parts.push(...cut(part.batch, from, part.to, part.without, multiline));
  return large.length > 0
    ? { parts, unreadable: [], words: null }
    : { parts: [], unreadable: [], words: "ripgrep needs too much memory for this pattern" };
}

/** Files of a part that were named and are no regular files, by index. */
function specials(slot: Slot, ground: Ground): number[] {
  return slot.places.named.filter((index) => {
    const stat = look(slot.part, index, ground);
    return stat !== null && !stat.isFile();
  });
}

function largeFiles(part: Part, from: number, ground: Ground): number[] {
  const large: number[] = [];
  for (let index = from; index < part.to; index++) {
    if (!part.without.has(index) && (look(part, index, ground)?.size ?? 0) >= LARGE_FILE_BYTES) large.push(index);
  }
  return large;
}

/** Links are followed, as ripgrep follows those that are named. Nothing is opened. */
function look(part: Part, index: number, ground: Ground): fs.Stats | null {
  const folder = Buffer.from(ground.access(part.batch.target.mount));
  try {
    return fs.statSync(
      Buffer.concat([folder, Buffer.from("/"), Buffer.from(toHostBytes(part.batch.files[index] as RelPath))]),
    );
  } catch {
    // Gone or closed: ripgrep says so itself.
    return null;
  }
}

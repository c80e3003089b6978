import type fs from "node:fs";

/** What a file was when it was indexed: these numbers, in this order. */
export const STAMP = { size: 0, mtimeNs: 1, ctimeNs: 2, inode: 3, device: 4, numbers: 5 } as const;

export function sameStamps(a: fs.BigIntStats, b: fs.BigIntStats): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino && a.dev === b.dev;
}

export function writeStamps(stamps: BigInt64Array, number: number, stat: fs.BigIntStats): void {
  const at = number * STAMP.numbers;
  stamps[at + STAMP.size] = stat.size;
  stamps[at + STAMP.mtimeNs] = stat.mtimeNs;
  stamps[at + STAMP.ctimeNs] = stat.ctimeNs;
  stamps[at + STAMP.inode] = stat.ino;
  stamps[at + STAMP.device] = stat.dev;
}

/** True where a file is what it was when it was indexed. The time of change, which nobody can set, tells of any writing. */
export function isAsStamped(stamps: BigInt64Array, number: number, stat: fs.BigIntStats): boolean {
  const at = number * STAMP.numbers;
  return (
    stat.ctimeNs === stamps[at + STAMP.ctimeNs] &&
    stat.size === stamps[at + STAMP.size] &&
    stat.mtimeNs === stamps[at + STAMP.mtimeNs] &&
    BigInt.asIntN(64, stat.ino) === stamps[at + STAMP.inode] &&
    BigInt.asIntN(64, stat.dev) === stamps[at + STAMP.device]
  );
}

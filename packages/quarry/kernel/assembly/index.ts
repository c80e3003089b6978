/**
 * The kernel: finds literals and the lines that hold them, 64 bytes at a step. AssemblyScript with SIMD; no allocation,
 * no imports. `src/engines/kernel/twin.ts` is the same in plain TypeScript, and tests compare the two.
 *
 * Memory: tables below, then records, then the window with the text. Positions that go in and out are relative to the window. Reads
 * run up to `SLACK` bytes over the end of the text; what is there does not matter, but it must be memory.
 */

/** Scratch for one vector. */
const SCRATCH: usize = 256;
/** Six vectors: for each of three fingerprint bytes, buckets by low and by high nibble. */
const NIBBLES: usize = 512;
/** Pairs of u32 for each needle: where it starts in the tables, and its length. */
export const INDEX: u32 = 0x400;
/** The needles' bytes one after the other; letters of a folded one in lower case. */
export const NEEDLES: u32 = 0x1000;
/** For each of those bytes what is set in a byte of the text before it is compared: 0x20 for a folded letter, else 0. */
export const MASKS: u32 = 0x8000;
/** Four u32 for each line: its number, where it starts, where it ends (its LF or the end of the text), the first match. */
export const RECORDS: u32 = 0x10000;
export const MAX_RECORDS: u32 = 4096;
export const WINDOW: u32 = 0x20000;
export const SLACK: u32 = 0x1000;

const LF: i32 = 10;
const CR: i32 = 13;

let count: u32 = 0;
let length: u32 = 0;
let fingerprint: u32 = 0;
let probeA: u32 = 0;
let probeB: u32 = 0;

/** Where `find` stopped: everything before it is searched and its lines are counted; a line starts there. */
export let next: u32 = 0;
/** The number of that line. */
export let nextLine: u32 = 0;

/**
 * Takes over the needles that stand in the tables.
 * @param needles how many, at least 1.
 * @param a, b positions in a single needle that are looked at first.
 */
export function prepare(needles: u32, a: u32, b: u32): void {
  count = needles;
  length = load<u32>(INDEX, 4);
  probeA = a;
  probeB = b;
  fingerprint = 3;
  for (let i: u32 = 0; i < needles; i++) {
    const n = load<u32>(INDEX + i * 8, 4);
    if (n < fingerprint) fingerprint = n;
  }
  memory.fill(NIBBLES, 0, 96);
  for (let i: u32 = 0; i < needles; i++) {
    const at = load<u32>(INDEX + i * 8);
    for (let k: u32 = 0; k < fingerprint; k++) {
      const byte = <u32>load<u8>(NEEDLES + at + k);
      mark(k, byte, <u8>(1 << <u8>(i & 7)));
      if (load<u8>(MASKS + at + k) !== 0) mark(k, byte & 0xdf, <u8>(1 << <u8>(i & 7)));
    }
  }
}

function mark(k: u32, byte: u32, bit: u8): void {
  const low: usize = NIBBLES + k * 32 + (byte & 15);
  const high: usize = NIBBLES + k * 32 + 16 + (byte >> 4);
  store<u8>(low, load<u8>(low) | bit);
  store<u8>(high, load<u8>(high) | bit);
}

/**
 * Records lines of the text `[from, to)` that hold a needle, as many as there is room for. `from` is the start of the line
 * with the number `line`. Fewer than `MAX_RECORDS` means that there are no more.
 */
export function find(from: u32, to: u32, line: u32): u32 {
  const end: usize = WINDOW + to;
  let at: usize = WINDOW + from;
  let found: u32 = 0;
  while (found < MAX_RECORDS && at < end) {
    const match = count === 1 ? one(at, end) : several(at, end);
    if (match >= end) break;
    line += lines(at, match);
    const start = lineStart(match, at);
    const stop = lineEnd(match, end);
    const record: usize = RECORDS + found * 16;
    store<u32>(record, line);
    store<u32>(record, <u32>start - WINDOW, 4);
    store<u32>(record, <u32>stop - WINDOW, 8);
    store<u32>(record, <u32>match - WINDOW, 12);
    found += 1;
    at = stop;
    if (stop < end) {
      at += 1;
      line += 1;
    }
  }
  next = <u32>at - WINDOW;
  nextLine = line;
  return found;
}

/** LFs in the text `[from, to)`. */
export function countLines(from: u32, to: u32): u32 {
  return lines(WINDOW + from, WINDOW + to);
}

/** Where the first NUL of the text `[from, to)` is; `to` where there is none. */
export function firstNul(from: u32, to: u32): u32 {
  const end: usize = WINDOW + to;
  for (let p: usize = WINDOW + from; p < end; p += 16) {
    const bits = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0)));
    if (bits === 0) continue;
    const at = p + ctz(bits);
    return at < end ? <u32>at - WINDOW : to;
  }
  return to;
}

/** What is in the text `[from, to)`: 1 for bytes from 0x80 on, 2 for CRs, 4 for NULs; added. */
export function traits(from: u32, to: u32): u32 {
  const end: usize = WINDOW + to;
  let p: usize = WINDOW + from;
  let high = i8x16.splat(0);
  let crs = i8x16.splat(0);
  let nuls = i8x16.splat(0);
  for (; p + 16 <= end; p += 16) {
    const x = v128.load(p);
    high = v128.or(high, x);
    crs = v128.or(crs, i8x16.eq(x, i8x16.splat(<i8>CR)));
    nuls = v128.or(nuls, i8x16.eq(x, i8x16.splat(0)));
  }
  const rest: i32 = (1 << (<i32>(end - p))) - 1;
  const x = v128.load(p);
  return (
    <u32>((i8x16.bitmask(high) | (i8x16.bitmask(x) & rest)) !== 0) |
    (<u32>(v128.any_true(crs) || (i8x16.bitmask(i8x16.eq(x, i8x16.splat(<i8>CR))) & rest) !== 0) << 1) |
    (<u32>(v128.any_true(nuls) || (i8x16.bitmask(i8x16.eq(x, i8x16.splat(0))) & rest) !== 0) << 2)
  );
}

/** True where the text `[from, to)` holds U+017F or what may be U+212A: letters that fold to `s` and `k`. */
export function oddFolds(from: u32, to: u32): bool {
  const end: usize = WINDOW + to;
  let p: usize = WINDOW + from;
  for (; p < end; p += 64) {
    const any = v128.or(v128.or(v128.load(p), v128.load(p, 16)), v128.or(v128.load(p, 32), v128.load(p, 48)));
    if (i8x16.bitmask(any) === 0) continue;
    for (let q = p; q < p + 64 && q + 1 < end; q += 16) {
      const x = v128.load(q);
      const y = v128.load(q, 1);
      const s = v128.and(i8x16.eq(x, i8x16.splat(<i8>0xc5)), i8x16.eq(y, i8x16.splat(<i8>0xbf)));
      const k = v128.and(i8x16.eq(x, i8x16.splat(<i8>0x84)), i8x16.eq(y, i8x16.splat(<i8>0xaa)));
      const bits = i8x16.bitmask(v128.or(s, k));
      if (bits !== 0 && q + ctz(bits) + 1 < end) return true;
    }
  }
  return false;
}

/** The first place of the only needle in `[at, end)`; `end` where there is none. */
function one(at: usize, end: usize): usize {
  if (at + length > end) return end;
  const last = end - length;
  const start = load<u32>(INDEX);
  const a = i8x16.splat(<i8>load<u8>(NEEDLES + start + probeA));
  const b = i8x16.splat(<i8>load<u8>(NEEDLES + start + probeB));
  const maskA = i8x16.splat(<i8>load<u8>(MASKS + start + probeA));
  const maskB = i8x16.splat(<i8>load<u8>(MASKS + start + probeB));
  for (let p = at; p <= last; p += 64) {
    const pa = p + probeA;
    const pb = p + probeB;
    const m0 = both(v128.load(pa), v128.load(pb), a, b, maskA, maskB);
    const m1 = both(v128.load(pa, 16), v128.load(pb, 16), a, b, maskA, maskB);
    const m2 = both(v128.load(pa, 32), v128.load(pb, 32), a, b, maskA, maskB);
    const m3 = both(v128.load(pa, 48), v128.load(pb, 48), a, b, maskA, maskB);
    if (!v128.any_true(v128.or(v128.or(m0, m1), v128.or(m2, m3)))) continue;
    let bits = packed(m0, m1, m2, m3);
    do {
      const candidate = p + <usize>ctz(bits);
      if (candidate > last) return end;
      if (same(candidate, start, length)) return candidate;
      bits &= bits - 1;
    } while (bits !== 0);
  }
  return end;
}

// @ts-ignore: decorator
@inline
function both(x: v128, y: v128, a: v128, b: v128, maskA: v128, maskB: v128): v128 {
  return v128.and(i8x16.eq(v128.or(x, maskA), a), i8x16.eq(v128.or(y, maskB), b));
}

// @ts-ignore: decorator
@inline
function packed(m0: v128, m1: v128, m2: v128, m3: v128): u64 {
  return (
    <u64>i8x16.bitmask(m0) |
    (<u64>i8x16.bitmask(m1) << 16) |
    (<u64>i8x16.bitmask(m2) << 32) |
    (<u64>i8x16.bitmask(m3) << 48)
  );
}

/**
 * The first place of any needle in `[at, end)`; `end` where there is none. "Teddy" (Intel Hyperscan, Rust's aho-corasick): the
 * first bytes' nibbles select the buckets whose needles are then compared.
 */
function several(at: usize, end: usize): usize {
  const low0 = v128.load(NIBBLES);
  const high0 = v128.load(NIBBLES, 16);
  const low1 = fingerprint > 1 ? v128.load(NIBBLES, 32) : i8x16.splat(-1);
  const high1 = fingerprint > 1 ? v128.load(NIBBLES, 48) : i8x16.splat(-1);
  const low2 = fingerprint > 2 ? v128.load(NIBBLES, 64) : i8x16.splat(-1);
  const high2 = fingerprint > 2 ? v128.load(NIBBLES, 80) : i8x16.splat(-1);
  const zero = i8x16.splat(0);
  for (let p = at; p < end; p += 16) {
    const buckets = v128.and(
      v128.and(select(v128.load(p), low0, high0), select(v128.load(p, 1), low1, high1)),
      select(v128.load(p, 2), low2, high2),
    );
    if (!v128.any_true(buckets)) continue;
    v128.store(SCRATCH, buckets);
    let bits: i32 = ~i8x16.bitmask(i8x16.eq(buckets, zero)) & 0xffff;
    do {
      const k = ctz(bits);
      const candidate = p + <usize>k;
      if (candidate >= end) return end;
      if (anyOf(candidate, <u32>load<u8>(SCRATCH + k), end)) return candidate;
      bits &= bits - 1;
    } while (bits !== 0);
  }
  return end;
}

// @ts-ignore: decorator
@inline
function select(x: v128, low: v128, high: v128): v128 {
  return v128.and(i8x16.swizzle(low, v128.and(x, i8x16.splat(15))), i8x16.swizzle(high, i8x16.shr_u(x, 4)));
}

function anyOf(candidate: usize, buckets: u32, end: usize): bool {
  for (let rest = buckets; rest !== 0; rest &= rest - 1) {
    for (let i = ctz(rest); i < count; i += 8) {
      const n = load<u32>(INDEX + i * 8, 4);
      if (candidate + n <= end && same(candidate, load<u32>(INDEX + i * 8), n)) return true;
    }
  }
  return false;
}

function same(at: usize, start: u32, n: u32): bool {
  const needle: usize = NEEDLES + start;
  const mask: usize = MASKS + start;
  let k: usize = 0;
  for (; k + 8 <= n; k += 8) if ((load<u64>(at + k) | load<u64>(mask + k)) !== load<u64>(needle + k)) return false;
  for (; k < n; k++) if ((load<u8>(at + k) | load<u8>(mask + k)) !== load<u8>(needle + k)) return false;
  return true;
}

function lines(from: usize, to: usize): u32 {
  const lf = i8x16.splat(<i8>LF);
  let n: u32 = 0;
  let p = from;
  for (; p + 64 <= to; p += 64) {
    n += <u32>popcnt(
      packed(
        i8x16.eq(v128.load(p), lf),
        i8x16.eq(v128.load(p, 16), lf),
        i8x16.eq(v128.load(p, 32), lf),
        i8x16.eq(v128.load(p, 48), lf),
      ),
    );
  }
  for (; p + 16 <= to; p += 16) n += <u32>popcnt(i8x16.bitmask(i8x16.eq(v128.load(p), lf)));
  return n + <u32>popcnt(i8x16.bitmask(i8x16.eq(v128.load(p), lf)) & ((1 << <i32>(to - p)) - 1));
}

/** Where the line with the byte at `p` starts; `from` is the start of a line and not behind `p`. */
function lineStart(p: usize, from: usize): usize {
  const lf = i8x16.splat(<i8>LF);
  while (p >= from + 16) {
    const bits = i8x16.bitmask(i8x16.eq(v128.load(p - 16), lf));
    if (bits !== 0) return p - 16 + (32 - <usize>clz(bits));
    p -= 16;
  }
  while (p > from && load<u8>(p - 1) !== LF) p -= 1;
  return p;
}

/** Where the LF of the line with the byte at `p` is; `end` where it has none. */
function lineEnd(p: usize, end: usize): usize {
  const lf = i8x16.splat(<i8>LF);
  for (; p < end; p += 16) {
    const bits = i8x16.bitmask(i8x16.eq(v128.load(p), lf));
    if (bits !== 0) {
      const at = p + <usize>ctz(bits);
      return at < end ? at : end;
    }
  }
  return end;
}

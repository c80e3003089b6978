/**
 * Paths inside Quarry. One string type for every name a file system can hold:
 *
 * - `/` only, no leading or trailing slash, no `.` or `..` or empty component; the root is `""`.
 * - A byte that is not part of valid UTF-8 is a lone low surrogate U+DC80..U+DCFF (byte + 0xDC00), so that a name keeps
 *   its bytes through any string operation. This is Python's "surrogateescape" (PEP 383).
 *
 * `showPath` makes the text a person or model sees (`\xNN` for such bytes), `toHostBytes` what the system gets.
 */
export type RelPath = string;

const HAS_ESCAPE = /[\udc80-\udcff]/;
const LONE_ESCAPE = /(?<![\ud800-\udbff])[\udc80-\udcff]/g;

/** True where the name holds bytes that are not UTF-8. */
export function hasRawBytes(path: RelPath): boolean {
  return HAS_ESCAPE.test(path) && path.search(LONE_ESCAPE) !== -1;
}

/** A name as the system returned it, byte for byte, to our string form. */
export function fromHostBytes(bytes: Uint8Array): RelPath {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  if (!text.includes("\ufffd") || Buffer.from(text, "utf8").equals(buffer)) return text;
  let out = "";
  let at = 0;
  while (at < buffer.length) {
    const length = utf8LengthAt(buffer, at);
    if (length === 0) {
      out += String.fromCharCode(0xdc00 + (buffer[at] as number));
      at += 1;
    } else {
      out += buffer.toString("utf8", at, at + length);
      at += length;
    }
  }
  return out;
}

/** The form that file system calls take: the string itself, or its bytes where it holds some that are not UTF-8. */
export function toHostBytes(path: RelPath): string | Buffer {
  if (!hasRawBytes(path)) return path;
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of path.matchAll(LONE_ESCAPE)) {
    if (match.index > from) parts.push(Buffer.from(path.slice(from, match.index), "utf8"));
    parts.push(Buffer.from([match[0].charCodeAt(0) - 0xdc00]));
    from = match.index + 1;
  }
  if (from < path.length) parts.push(Buffer.from(path.slice(from), "utf8"));
  return Buffer.concat(parts);
}

/** Text for people and models: bytes that are not UTF-8 as `\xNN`, and control characters (C0, DEL) likewise. */
export function showPath(path: RelPath): string {
  // oxlint-disable-next-line no-control-regex -- control characters in names are the very subject
  const safe = path.replace(/[\u0000-\u001f\u007f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return hasRawBytes(safe)
    ? safe.replace(LONE_ESCAPE, (c) => `\\x${(c.charCodeAt(0) - 0xdc00).toString(16).padStart(2, "0")}`)
    : safe;
}

/**
 * The inverse of `showPath`: reads `\xNN` as the byte NN. Text without such an escape comes back unchanged. The guard
 * tries a path as it stands first, and this form only where that does not exist.
 */
export function readShownPath(text: string): RelPath {
  if (!/\\x[0-9a-fA-F]{2}/.test(text)) return text;
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(/\\x([0-9a-fA-F]{2})/g)) {
    parts.push(
      Buffer.from(text.slice(from, match.index), "utf8"),
      Buffer.from([Number.parseInt(match[1] as string, 16)]),
    );
    from = match.index + 4;
  }
  parts.push(Buffer.from(text.slice(from), "utf8"));
  return fromHostBytes(Buffer.concat(parts));
}

/**
 * Order by component, each compared by its bytes: what `rg --sort=path` gives. `a/b` comes before `a.b`.
 * @returns negative, zero or positive, as `Array.prototype.sort` takes it.
 */
export function comparePaths(a: RelPath, b: RelPath): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x === 0x2f) return -1;
    if (y === 0x2f) return 1;
    if (x < 0xd800 && y < 0xd800) return x - y;
    return compareBytes(a.slice(componentStart(a, i)), b.slice(componentStart(b, i)));
  }
  return a.length - b.length;
}

/** Order of two names in one folder: by their bytes. */
export function compareNames(a: string, b: string): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    return x < 0xd800 && y < 0xd800 ? x - y : compareBytes(a, b);
  }
  return a.length - b.length;
}

function componentStart(path: string, at: number): number {
  return path.lastIndexOf("/", at) + 1;
}

function compareBytes(a: string, b: string): number {
  const x = toHostBytes(a.split("/", 1)[0] as string);
  const y = toHostBytes(b.split("/", 1)[0] as string);
  return Buffer.compare(typeof x === "string" ? Buffer.from(x) : x, typeof y === "string" ? Buffer.from(y) : y);
}

/** Joins a folder and a name; the root is `""`. */
export function joinPath(folder: RelPath, name: string): RelPath {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The last component. */
export function baseName(path: RelPath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder that holds it; `""` for a name in the root. */
export function parentPath(path: RelPath): RelPath {
  const at = path.lastIndexOf("/");
  return at === -1 ? "" : path.slice(0, at);
}

/** True where `path` is `folder` or lies under it. A boundary is a separator: `/a/dir-evil` is not under `/a/dir`. */
export function isUnder(path: RelPath, folder: RelPath): boolean {
  return (
    folder === "" ||
    path === folder ||
    (path.length > folder.length && path.startsWith(folder) && path[folder.length] === "/")
  );
}

function utf8LengthAt(bytes: Uint8Array, at: number): number {
  const b0 = bytes[at] as number;
  if (b0 < 0x80) return 1;
  const b1 = bytes[at + 1] ?? 0;
  const b2 = bytes[at + 2] ?? 0;
  const b3 = bytes[at + 3] ?? 0;
  const tail = (b: number): boolean => (b & 0xc0) === 0x80;
  if (b0 >= 0xc2 && b0 <= 0xdf) return tail(b1) ? 2 : 0;
  if (b0 >= 0xe0 && b0 <= 0xef) {
    const ok = b0 === 0xe0 ? b1 >= 0xa0 : b0 === 0xed ? b1 <= 0x9f : true;
    return ok && tail(b1) && tail(b2) ? 3 : 0;
  }
  if (b0 >= 0xf0 && b0 <= 0xf4) {
    const ok = b0 === 0xf0 ? b1 >= 0x90 : b0 === 0xf4 ? b1 <= 0x8f : true;
    return ok && tail(b1) && tail(b2) && tail(b3) ? 4 : 0;
  }
  return 0;
}

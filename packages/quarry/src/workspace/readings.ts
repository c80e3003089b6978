import { fromHostBytes, toHostBytes, type RelPath } from "../paths/path.js";

/**
 * One way to read what a caller wrote. `virtual`: components from the workspace's root. `host`: components from the file
 * system's root; `absolute` is false where they came from `~`. `shown`: as `virtual`, and a component may be a name as `showPath` writes it. `outside`: it leaves the
 * workspace by its own words.
 */
export type Reading =
  | { readonly kind: "virtual" | "shown" | "host"; readonly parts: readonly string[]; readonly absolute: boolean }
  | { readonly kind: "outside" };

export interface ReadingOptions {
  readonly acceptHostPaths: boolean;
  /** The home folder for `~`; null where there is none. */
  readonly home: string | null;
}

/**
 * The ways to read a path, best first: as it stands, whatever characters it holds; with escaped names; as a file URL; with
 * backslashes for separators; from the home folder. The first that exists is meant. Pure.
 */
export function readings(asked: string, options: ReadingOptions): readonly Reading[] {
  const text = canonicalText(asked);
  const out: Reading[] = [];
  addPlain(out, text, options);
  const url = /^file:\/\/(localhost)?(\/.*)$/is.exec(text);
  if (url !== null) addPlain(out, percentDecoded(url[2] as string).replace(/^\/([A-Za-z]:)/, "$1"), options);
  else if (/^file:/i.test(text)) out.push({ kind: "outside" });
  if (text.includes("\\")) addPlain(out, text.replaceAll("\\", "/"), options);
  if (/^~([\\/]|$)/.test(text)) {
    if (options.acceptHostPaths && options.home !== null)
      addHost(out, `${options.home}/${text.slice(1).replaceAll("\\", "/")}`, false);
    else out.push({ kind: "outside" });
  }
  return out;
}

function addPlain(out: Reading[], text: string, options: ReadingOptions): void {
  const absolute = text.startsWith("/");
  const parts = normal(text);
  if (parts === null) out.push({ kind: "outside" });
  else {
    out.push({ kind: "virtual", parts, absolute });
    if (/\\x[0-9a-fA-F]{2}/.test(text)) out.push({ kind: "shown", parts, absolute });
  }
  if (/^[A-Za-z]:[\\/]/.test(text)) {
    if (options.acceptHostPaths && process.platform === "win32") addHost(out, text.replaceAll("\\", "/"), true);
    else out.push({ kind: "outside" });
  } else if (absolute && options.acceptHostPaths) addHost(out, text, true);
}

function addHost(out: Reading[], text: string, absolute: boolean): void {
  const parts = normal(text);
  out.push(parts === null ? { kind: "outside" } : { kind: "host", parts, absolute });
}

/** Components without `.`, `..` and doubled slashes; null where `..` climbs over the root. */
function normal(text: string): string[] | null {
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts;
}

/** One string for one sequence of bytes: what the system would get, read back. */
function canonicalText(text: string): RelPath {
  if (!/[\ud800-\udfff]/u.test(text)) return text;
  const bytes = toHostBytes(text);
  return fromHostBytes(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
}

function percentDecoded(text: string): RelPath {
  const bytes: Buffer[] = [];
  for (const piece of text.split(/(%[0-9a-fA-F]{2})/)) {
    bytes.push(/^%[0-9a-fA-F]{2}$/.test(piece) ? Buffer.from(piece.slice(1), "hex") : Buffer.from(toHostBytes(piece)));
  }
  return fromHostBytes(Buffer.concat(bytes));
}

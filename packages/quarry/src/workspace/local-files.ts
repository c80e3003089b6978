import fs from "node:fs";

/**
 * File systems of the Linux kernel that read through its page cache: what they return is short only at the end of the file, or at a
 * page where reading failed.
 */
const PAGE_CACHED = new Set(["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay", "squashfs", "erofs"]);

/** The smallest page of any system: a read that failed in the middle of a file ends at a multiple of it. */
export const PAGE_BYTES = 4_096;

/**
 * True where a read that came back short, not at the end of a page, is certain to have met the end of the file: everything under this
 * folder lies on file systems that are known for it. It saves a second read of every small file.
 * @param host absolute and canonical.
 */
export function shortReadsEnd(host: string): boolean {
  return ask(host, true);
}

/** True where the folder itself lies on one of these file systems, which keep the times of a folder true to the tick of the clock. */
export function isPageCached(host: string): boolean {
  return ask(host, false);
}

/** Taking the table apart costs more than to read it. */
let last: { readonly table: string; readonly answers: Map<string, boolean> } = { table: "", answers: new Map() };

function ask(host: string, below: boolean): boolean {
  if (process.platform !== "linux") return false;
  let table: string;
  try {
    table = fs.readFileSync("/proc/self/mountinfo", "latin1");
  } catch {
    return false; // Nothing is known without the table of mounts, and then nothing is taken for granted.
  }
  if (table !== last.table) last = { table, answers: new Map() };
  const key = `${below} ${host}`;
  let answer = last.answers.get(key);
  if (answer === undefined)
    last.answers.set(key, (answer = pageCached(table, Buffer.from(host, "utf8").toString("latin1"), below)));
  return answer;
}

/**
 * @param table as `/proc/self/mountinfo` (see proc(5)), one character a byte, like `host`.
 * @param below also asks for what is mounted in the folder and below it.
 */
export function pageCached(table: string, host: string, below: boolean): boolean {
  let own: { readonly point: string; readonly type: string } | null = null;
  for (const line of table.split("\n")) {
    const [place = "", kind = ""] = line.split(" - ", 2);
    const escaped = place.split(" ")[4];
    const type = kind.split(" ", 1)[0] ?? "";
    if (escaped === undefined || type === "") continue;
    const point = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    if (isAtOrUnder(host, point)) {
      // Of two on one point the later one is seen.
      if (own === null || point.length >= own.point.length) own = { point, type };
    } else if (below && isAtOrUnder(point, host) && !PAGE_CACHED.has(type)) return false;
  }
  return own !== null && PAGE_CACHED.has(own.type);
}

function isAtOrUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

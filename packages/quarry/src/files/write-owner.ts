import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import os from "node:os";

/*
 * Who made a lock or a temporary file, as a word that goes into its name. Another process can tell from it whether the maker
 * is still there: a process number alone is used again, so the word also holds when the process started and in which
 * space (machine, boot, container) the number counts.
 */

/** The words of this process are this and a number: `<space>-<pid>-<start>-<nonce>`, all in lower case letters and digits. */
const OWNER = /^([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-([0-9a-f]{12})$/;

/** A word that no other call, thread or process makes. */
export function newOwner(): string {
  return `${SPACE}-${process.pid}-${startOf(process.pid) ?? "0"}-${randomBytes(6).toString("hex")}`;
}

export function isOwner(word: string): boolean {
  return OWNER.test(word);
}

/** Is the maker still there? `unknown` for another container or machine, and for words that we did not make. */
export function ownerState(word: string): "alive" | "dead" | "unknown" {
  const found = OWNER.exec(word);
  if (found === null || found[1] !== SPACE) return "unknown";
  const pid = Number(found[2]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "dead";
  }
  const start = startOf(pid);
  // Where the system does not tell, a process of that number counts as the maker.
  return start === null || start === found[3] ? "alive" : "dead";
}

/** When a process started, in the system's ticks, as `/proc` says; null where it does not, `gone` for one that has ended. */
function startOf(pid: number): string | null {
  if (process.platform !== "linux") return null;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return null; // Hidden from this user, or no /proc.
  }
  // The command's name stands in parentheses and may hold any character. Source: proc_pid_stat(5), fields 3 and 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? "gone" : (fields[19] ?? null);
}

const SPACE = createHash("sha256")
  .update(
    process.platform === "linux"
      ? `${readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"))} ${readOr(() => readlinkSync("/proc/self/ns/pid"))}`
      : "",
  )
  .update(os.hostname())
  .digest("hex")
  .slice(0, 8);

function readOr(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}

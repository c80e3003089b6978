import { invalidPattern, patternRemedy } from "../../search/pattern.js";
import { QuarryError } from "../../errors/errors.js";
import type { Mount } from "../../workspace/mount.js";
import type { LineQuery } from "../../search/query.js";
import type { Exit } from "./host.js";

/**
 * What ripgrep's messages say of the question itself, or null where they are about something else.
 * @param messages standard error without the complaints about single places.
 */
export function questionError(messages: string, query: LineQuery): QuarryError | null {
  const reason = patternReason(messages, query);
  if (reason !== null) return invalidPattern(reason, patternRemedy(query.pattern, reason), messages);
  if (/unknown encoding/.test(messages)) {
    return new QuarryError(
      "INVALID_ARGUMENT",
      `unknown encoding ${JSON.stringify(query.encoding)}; known are the WHATWG labels, such as utf-16le, gbk, shift_jis`,
      {
        argument: "encoding",
      },
    );
  }
  return null;
}

function patternReason(messages: string, query: LineQuery): string | null {
  if (messages.startsWith("rg: regex parse error:")) {
    const lines = messages.split("\n");
    const at = lines.findIndex((line) => line.startsWith("error: "));
    const reason = at === -1 ? "it cannot be parsed" : (lines[at] as string).slice("error: ".length);
    // The caret under the echoed pattern, which ripgrep wraps in a group and indents; only where it is one line.
    const caret = lines.length > 3 && at === 3 ? (lines[2] as string).indexOf("^") : -1;
    const position = Math.min(caret - "    (?:".length + 1, [...query.pattern].length);
    return position > 0 ? `${reason} (at character ${position})` : reason;
  }
  const single =
    /^rg: (compiled regex exceeds size limit of \d+|the literal .* is not allowed in a regex|pattern contains "\\0" but it is impossible to match|PCRE2: error compiling pattern.*|.*regex.*(?:size limit|too (?:big|large)).*)/m.exec(
      messages,
    );
  return single === null ? null : (single[1] as string);
}

/** Why a process did not do its work, as a sentence without host paths; null where its status is a normal end. */
export function failure(exit: Exit, messages: string, mounts: readonly Mount[]): string | null {
  if (exit.kind === "signal") return `ripgrep was ended by ${exit.signal}`;
  if (exit.kind === "unstarted") return `ripgrep could not be started (${exit.code})`;
  if (exit.code === 0 || exit.code === 1) return null;
  // Only ripgrep's own words: a shell's or a loader's hold the program's host path.
  const said = messages.split("\n").find((line) => line.startsWith("rg: ")) ?? "";
  const words = mask(said.slice("rg: ".length), mounts);
  return exit.code === 2 && words !== ""
    ? `ripgrep: ${words}`
    : `ripgrep ended with status ${exit.code}${words === "" ? "" : `: ${words}`}`;
}

/** Takes host paths out of a message. */
export function mask(text: string, mounts: readonly Mount[]): string {
  let out = text;
  for (const mount of mounts) out = out.replaceAll(mount.hostRoot, mount.name === "" ? "." : mount.name);
  return out.replace(/\/(?:proc|dev\/fd)\/[^\s:]*/g, "a file").slice(0, 300);
}

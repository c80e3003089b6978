import { QuarryError } from "../errors/errors.js";
import { hasRawBytes, toHostBytes, type RelPath } from "../paths/path.js";

const UNPAIRED = /\p{Surrogate}/u;

/** Why a text cannot be one word of a command; null where it can. */
export function unquotable(value: string): string | null {
  if (value.includes("\0")) return "holds a NUL character";
  if (UNPAIRED.test(value)) return "holds half of a surrogate pair, which is no character";
  return null;
}

/**
 * One word of a bash command that is exactly this text: nothing in it is expanded. It may begin with a dash; who passes it
 * to a program puts it behind `--` or after `--option=`.
 * @throws QuarryError INVALID_ARGUMENT for a NUL or an unpaired surrogate: no command line can carry them.
 */
export function shellQuote(value: string): string {
  const problem = unquotable(value);
  if (problem !== null) throw new QuarryError("INVALID_ARGUMENT", `a value for a command ${problem}`);
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** As `shellQuote`, for a name of a file system: bytes that are not UTF-8 are written as bash's `$'\xNN'`. */
export function shellQuotePath(path: RelPath): string {
  if (!hasRawBytes(path)) return shellQuote(path);
  let word = "";
  for (const byte of toHostBytes(path) as Buffer) {
    const plain =
      (byte >= 0x30 && byte <= 0x39) ||
      (byte >= 0x41 && byte <= 0x5a) ||
      (byte >= 0x61 && byte <= 0x7a) ||
      byte === 0x2e ||
      byte === 0x2f;
    word += plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  // A hexadecimal digit behind `\xNN` is not read as a part of it: bash takes two at most.
  return `$'${word}'`;
}

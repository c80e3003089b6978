import type { Settings } from "../config/tunables.js";
import { QuarryError } from "../errors/errors.js";
import { checkText } from "../files/edit-apply.js";
import { encodeUnits, lineEnds, toBytes, toUnits } from "../files/edit-units.js";
import { NO_FINAL_NEWLINE, readRange } from "../files/read.js";
import type {
  ReadQuestion,
  ReadText,
  ReplacedText,
  ReplaceQuestion,
  WriteQuestion,
  WrittenFile,
} from "../sandbox/sandbox.js";
import { quote } from "../workspace/refusal.js";
import type { Editing } from "./edit-call.js";
import type { VirtualPaths } from "./local-place.js";
import { rewrite } from "./write-whole.js";
import { placeToWrite } from "./write-place.js";

/** The contract's read_file, with the budgets of Quarry's own. */
export async function readLines(
  paths: VirtualPaths,
  { path, startLine, endLine }: ReadQuestion,
  settings: Settings,
  signal: AbortSignal,
): Promise<ReadText> {
  const target = paths.resolve(path, "file");
  const range = { ...(startLine === null ? {} : { startLine }), ...(endLine === null ? {} : { endLine }), signal };
  const read = await readRange(paths.workspace, target, range, settings);
  if (read.binary !== undefined)
    throw new QuarryError("BINARY_FILE", `${quote(path)} is not text: ${read.binary.kind}, ${read.bytes} bytes`, {
      argument: "path",
    });
  return {
    text: read.lines.map((line) => line.text).join("\n"),
    startLine: read.startLine,
    endLine: read.endLine,
    totalLines: read.totalLines,
    // A text that is shown as it stands shows that by itself.
    notes: read.notes.filter((note) => note !== NO_FINAL_NEWLINE).map((note) => paths.sentence(note)),
  };
}

/** The contract's write_file. An existing file keeps its encoding and, where all of its lines end so, CR LF. */
export async function appendText(
  paths: VirtualPaths,
  editing: Editing,
  { path, content, append }: WriteQuestion,
  signal: AbortSignal | undefined,
): Promise<WrittenFile> {
  paths.check(path);
  checkText("content", content);
  const { shown, ...place } = placeToWrite(paths.workspace, path, true);
  let created = false;
  let own: readonly string[] = [];
  const { notes } = await editing.change(place, signal, (old) => {
    created = old === null;
    if (old === null) return Buffer.from(content, "utf8");
    if (append) return added(old.bytes, content, quote(shown));
    const { bytes, notes: kept } = rewrite(old.bytes, content, quote(shown));
    own = kept;
    return bytes;
  });
  return { created, notes: [...own, ...notes].map((note) => paths.sentence(note)) };
}

/** The old bytes as they are, and the text behind them in their encoding and line ends. */
function added(old: Buffer, content: string, name: string): Buffer {
  const units = toUnits(old, name);
  const crlf = lineEnds(units.body) === "crlf" && !content.includes("\r");
  const text = crlf ? content.replaceAll("\n", "\r\n") : content;
  return toBytes(units, units.body + encodeUnits(units.encoding, text));
}

/** The contract's str_replace: the text has to be there, and once unless every place is meant. */
export async function replaceOnce(
  paths: VirtualPaths,
  editing: Editing,
  { path, oldText, newText, all }: ReplaceQuestion,
  signal: AbortSignal | undefined,
): Promise<ReplacedText> {
  paths.check(path);
  const { replacements = 0, notes } = await editing.replace(path, [{ oldText, newText, all }], undefined, signal);
  return { replacements, notes: notes.map((note) => paths.sentence(note)) };
}

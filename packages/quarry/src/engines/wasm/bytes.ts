import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { QuarryError } from "../../errors/errors.js";
import { WEB_ASSEMBLY, type WasmModule } from "../workers/webassembly.js";

/** The ripgrep that the bytes hold. */
export const WASM_RIPGREP_VERSION = "15.1.0";
/** Of the decoded bytes: nothing else is run. */
const SHA256 = "0b39774ab9fe912a277f3b921f7619c937dc0398eacf184683d2112919cb6943";
const Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
/**
 * Most memory of one machine, in pages of 64 KiB: 512 MiB. The module itself sets no bound; with one, a question that needs more ends
 * in the machine and not with the process.
 */
const MAX_PAGES = 8_192;

let module: Promise<WasmModule> | null = null;

/**
 * ripgrep as WebAssembly, compiled once in this process.
 * @throws QuarryError ENGINE_UNAVAILABLE where the package is missing or not the one that was tested, or there is no WebAssembly.
 */
export function ripgrepModule(): Promise<WasmModule> {
  module ??= load().catch((error: unknown) => {
    module = null;
    throw error;
  });
  return module;
}

async function load(): Promise<WasmModule> {
  if (WEB_ASSEMBLY === null) throw new QuarryError("ENGINE_UNAVAILABLE", "this Node.js runs without WebAssembly");
  return WEB_ASSEMBLY.compile(withMaximum(await ripgrepBytes(), MAX_PAGES));
}

/**
 * The bytes, taken out of the package as data. Its code is never loaded: it would read outside of what it is given, and run
 * whatever lies in a file of a known name in the temporary folder.
 */
export async function ripgrepBytes(): Promise<Buffer> {
  let source: Buffer;
  try {
    source = await readFile(new URL("./_rg.wasm.mjs", import.meta.resolve("ripgrep")));
  } catch {
    throw new QuarryError("ENGINE_UNAVAILABLE", "ripgrep's WebAssembly (npm package ripgrep) is not installed");
  }
  return decodeRipgrep(source);
}

/**
 * @param source of the package's module that holds the bytes.
 * @throws QuarryError ENGINE_UNAVAILABLE where they are not the tested ones.
 */
export async function decodeRipgrep(source: Buffer): Promise<Buffer> {
  const bytes = await decode(source);
  if (bytes === null || createHash("sha256").update(bytes).digest("hex") !== SHA256) {
    throw new QuarryError(
      "ENGINE_UNAVAILABLE",
      "ripgrep's WebAssembly is not the tested one (npm package ripgrep 0.3.1)",
    );
  }
  return bytes;
}

/** The one long string of the source: brotli in Z85 (https://rfc.zeromq.org/spec/32/), padded. null where it is something else. */
async function decode(source: Buffer): Promise<Buffer | null> {
  const length = Number(/compressedByteLength = (\d+);/.exec(source.toString("latin1", 0, 1_000))?.[1]);
  const start = source.indexOf('getEncoded = () => "') + 'getEncoded = () => "'.length;
  const end = source.indexOf('"', start);
  if (!(length > 0) || end === -1) return null;
  try {
    return await promisify(brotliDecompress)(fromZ85(source.subarray(start, end)).subarray(0, length));
  } catch {
    return null;
  }
}

function fromZ85(text: Buffer): Buffer {
  const values = new Uint8Array(256);
  for (let i = 0; i < Z85.length; i++) values[Z85.charCodeAt(i)] = i;
  const out = Buffer.alloc(Math.floor(text.length / 5) * 4);
  for (let at = 0, to = 0; to < out.length; to += 4) {
    let n = 0;
    for (let k = 0; k < 5; k++) n = n * 85 + (values[text[at++] as number] as number);
    out.writeUInt32BE(n % 0x1_0000_0000, to);
  }
  return out;
}

/**
 * A module whose memory has a maximum, which it had not.
 * Source: https://webassembly.github.io/spec/core/binary/modules.html#memory-section
 */
export function withMaximum(module: Buffer, pages: number): Buffer {
  const reader = { at: 8 };
  while (reader.at < module.length) {
    const start = reader.at;
    const id = module[reader.at++];
    const size = readLeb(module, reader);
    const body = reader.at;
    reader.at += size;
    if (id !== 5) continue;
    // One memory without a maximum: `01 00 <minimum>`.
    if (module[body] !== 1 || module[body + 1] !== 0) break;
    const section = Buffer.concat([Buffer.from([1, 1]), module.subarray(body + 2, body + size), leb(pages)]);
    return Buffer.concat([
      module.subarray(0, start),
      Buffer.from([5]),
      leb(section.length),
      section,
      module.subarray(body + size),
    ]);
  }
  throw new QuarryError("ENGINE_UNAVAILABLE", "ripgrep's WebAssembly has another form than the tested one");
}

function readLeb(bytes: Buffer, reader: { at: number }): number {
  let n = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[reader.at++] ?? 0;
    n |= (byte & 0x7f) << shift;
    if (byte < 0x80) return n;
  }
}

function leb(n: number): Buffer {
  const out: number[] = [];
  for (; n >= 0x80; n >>>= 7) out.push((n & 0x7f) | 0x80);
  out.push(n);
  return Buffer.from(out);
}

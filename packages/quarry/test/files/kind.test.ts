import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { byteOrderMark, isBinary } from "#src/files/decode.js";
import { binaryKind, unmarkedUtf16 } from "#src/files/kind.js";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const padded = (text: string): Buffer => Buffer.concat([bytes(text), Buffer.alloc(300)]);

test("kinds by their magic bytes", () => {
  const table: readonly [Buffer, string][] = [
    [bytes("%PDF-1.7\n"), "PDF document"],
    [padded("PK\x03\x04"), "zip archive"],
    [gzipSync("hello"), "gzip data"],
    [padded("\xfd7zXZ\0"), "xz data"],
    [padded("\x28\xb5\x2f\xfd"), "zstd data"],
    [readFileSync(process.execPath).subarray(0, 512), process.platform === "linux" ? "ELF executable or library" : ""],
    [padded("MZ\x90"), "Windows executable or library"],
    [padded("\xcf\xfa\xed\xfe"), "Mach-O executable or library"],
    [padded("SQLite format 3\0"), "SQLite database"],
    [padded("\0asm\x01\0\0\0"), "WebAssembly module"],
    [padded("ID3\x04"), "MP3 audio"],
    [padded("\0\0\0\x20ftypisom"), "MPEG-4 video"],
    [padded("RIFF\0\0\0\0WAVEfmt "), "WAV audio"],
    [padded("wOF2"), "WOFF2 font"],
    [padded("\xca\xfe\xba\xbe\0\0\0\x34"), "Java class file"],
    [padded(""), "binary data"],
    [Buffer.alloc(0), "binary data"],
  ];
  for (const [head, kind] of table) if (kind !== "") assert.equal(binaryKind(head).kind, kind);
});

test("images say their size", () => {
  assert.deepEqual(binaryKind(padded("GIF89a\x40\x01\xf0\0")), {
    kind: "GIF image",
    mime: "image/gif",
    width: 320,
    height: 240,
  });
  const jpeg = bytes("\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08\x01\xe0\x02\x80\x03");
  assert.deepEqual(binaryKind(jpeg), { kind: "JPEG image", mime: "image/jpeg", width: 640, height: 480 });
  assert.deepEqual(binaryKind(jpeg.subarray(0, 8)), { kind: "JPEG image", mime: "image/jpeg" });
  const lossless = padded("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc0\x0b\0");
  assert.deepEqual(binaryKind(lossless), { kind: "WebP image", mime: "image/webp", width: 64, height: 48 });
});

test("a hostile image head is only a head", () => {
  for (const magic of [
    "\x89PNG\r\n\x1a\n",
    "GIF89a",
    "\xff\xd8\xff",
    "\xff\xd8\xff\xe0\xff\xff",
    "\xff\xd8\xff\xff\xff\xff",
    "RIFF\0\0\0\0WEBP",
    "RIFF",
  ]) {
    for (let length = 0; length <= magic.length; length++)
      assert.ok(binaryKind(bytes(magic.slice(0, length))).kind.length > 0);
  }
});

test("a NUL in the first 64 KiB makes a binary, as ripgrep has it; a UTF-16 mark does not", () => {
  assert.equal(isBinary(Buffer.concat([Buffer.alloc(65_535, "a"), Buffer.from([0])])), true);
  assert.equal(isBinary(Buffer.concat([Buffer.alloc(65_536, "a"), Buffer.from([0])])), false);
  assert.equal(isBinary(Buffer.from([0xff, 0xfe, 0x61, 0])), false);
  assert.equal(isBinary(Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])), true);
  assert.equal(isBinary(Buffer.from([0xef, 0xbb, 0xbf, 0])), true);
  assert.equal(byteOrderMark(Buffer.from([0xfe])), null);
});

test("UTF-16 without a mark is told from other binaries", () => {
  const le = Buffer.from("plain words, 123\n".repeat(5), "utf16le");
  assert.equal(unmarkedUtf16(le), "utf-16le");
  assert.equal(unmarkedUtf16(Buffer.from(le).swap16()), "utf-16be");
  assert.equal(unmarkedUtf16(execFileSync("head", ["-c", "4096", process.execPath])), null);
  assert.equal(unmarkedUtf16(Buffer.alloc(64)), null);
  assert.equal(unmarkedUtf16(Buffer.from("ab")), null);
});

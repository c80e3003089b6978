/** What a file that is not text is, as far as its first bytes tell. */
export interface BinaryKind {
  /** For a sentence: `PNG image`, `ELF executable or library`, `binary data`. */
  readonly kind: string;
  /** A media type; `application/octet-stream` where nothing is known. */
  readonly mime: string;
  /** Pixels, for images whose head tells. */
  readonly width?: number;
  readonly height?: number;
}

/** Recognises a binary by its magic bytes. @param head the file's first bytes, 64 KiB for all that is known. */
export function binaryKind(head: Buffer): BinaryKind {
  const image = imageKind(head);
  if (image !== null) return image;
  for (const [offset, magic, kind, mime] of MAGIC) {
    if (head.length >= offset + magic.length && head.toString("latin1", offset, offset + magic.length) === magic)
      return { kind, mime };
  }
  if (head.toString("latin1", 0, 4) === "RIFF") return riffKind(head.toString("latin1", 8, 12));
  if (head.toString("latin1", 4, 8) === "ftyp") {
    const brand = head.toString("latin1", 8, 12);
    if (/^(avif|avis)/.test(brand)) return { kind: "AVIF image", mime: "image/avif" };
    if (/^(heic|heix|mif1)/.test(brand)) return { kind: "HEIF image", mime: "image/heif" };
    return brand.startsWith("M4A")
      ? { kind: "MPEG-4 audio", mime: "audio/mp4" }
      : { kind: "MPEG-4 video", mime: "video/mp4" };
  }
  if (head.length > 1 && head[0] === 0xff && ((head[1] as number) & 0xe6) === 0xe2)
    return { kind: "MP3 audio", mime: "audio/mpeg" };
  return { kind: "binary data", mime: "application/octet-stream" };
}

/**
 * Text in UTF-16 without a byte order mark: a NUL in most units at the same place, none at the other. Null where the bytes
 * do not look like it.
 */
export function unmarkedUtf16(head: Uint8Array): "utf-16le" | "utf-16be" | null {
  const units = Math.min(head.length >> 1, 2_048);
  if (units < 4) return null;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < units; i++) {
    if (head[2 * i] === 0) even++;
    if (head[2 * i + 1] === 0) odd++;
  }
  if (odd >= units * 0.6 && even === 0) return "utf-16le";
  return even >= units * 0.6 && odd === 0 ? "utf-16be" : null;
}

const MAGIC: readonly (readonly [number, string, string, string])[] = [
  [0, "%PDF-", "PDF document", "application/pdf"],
  [0, "PK\x03\x04", "zip archive", "application/zip"],
  [0, "PK\x05\x06", "empty zip archive", "application/zip"],
  [0, "\x1f\x8b", "gzip data", "application/gzip"],
  [0, "\xfd7zXZ\0", "xz data", "application/x-xz"],
  [0, "\x28\xb5\x2f\xfd", "zstd data", "application/zstd"],
  [0, "BZh", "bzip2 data", "application/x-bzip2"],
  [0, "7z\xbc\xaf\x27\x1c", "7-Zip archive", "application/x-7z-compressed"],
  [0, "Rar!\x1a\x07", "RAR archive", "application/vnd.rar"],
  [257, "ustar", "tar archive", "application/x-tar"],
  [0, "\x7fELF", "ELF executable or library", "application/x-elf"],
  [0, "MZ", "Windows executable or library", "application/vnd.microsoft.portable-executable"],
  [0, "\xcf\xfa\xed\xfe", "Mach-O executable or library", "application/x-mach-binary"],
  [0, "\xce\xfa\xed\xfe", "Mach-O executable or library", "application/x-mach-binary"],
  [0, "\xca\xfe\xba\xbe\0\0\0\x02", "Mach-O universal binary", "application/x-mach-binary"],
  [0, "\xca\xfe\xba\xbe", "Java class file", "application/java-vm"],
  [0, "!<arch>\n", "static library or Debian package", "application/x-archive"],
  [0, "SQLite format 3\0", "SQLite database", "application/vnd.sqlite3"],
  [0, "\0asm", "WebAssembly module", "application/wasm"],
  [0, "fLaC", "FLAC audio", "audio/flac"],
  [0, "OggS", "Ogg audio or video", "application/ogg"],
  [0, "ID3", "MP3 audio", "audio/mpeg"],
  [0, "\x1aE\xdf\xa3", "Matroska or WebM video", "video/x-matroska"],
  [0, "wOFF", "WOFF font", "font/woff"],
  [0, "wOF2", "WOFF2 font", "font/woff2"],
  [0, "OTTO", "OpenType font", "font/otf"],
  [0, "\0\x01\0\0\0", "TrueType font", "font/ttf"],
  [0, "BM", "BMP image", "image/bmp"],
  [0, "\0\0\x01\0", "icon", "image/vnd.microsoft.icon"],
  [0, "II*\0", "TIFF image", "image/tiff"],
  [0, "MM\0*", "TIFF image", "image/tiff"],
  [0, "\xff\xfe\0\0", "UTF-32 text", "text/plain;charset=utf-32"],
  [0, "\0\0\xfe\xff", "UTF-32 text", "text/plain;charset=utf-32"],
  [0, "\xa7\x0d\x0d\x0a", "compiled Python", "application/x-python-code"],
];

function riffKind(form: string): BinaryKind {
  if (form === "WAVE") return { kind: "WAV audio", mime: "audio/wav" };
  return form === "AVI "
    ? { kind: "AVI video", mime: "video/x-msvideo" }
    : { kind: "RIFF data", mime: "application/octet-stream" };
}

function imageKind(head: Buffer): BinaryKind | null {
  const sized = (kind: string, mime: string, size: readonly [number, number] | null): BinaryKind =>
    size === null ? { kind, mime } : { kind, mime, width: size[0], height: size[1] };
  if (head.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n") {
    return sized("PNG image", "image/png", head.length >= 24 ? [head.readUInt32BE(16), head.readUInt32BE(20)] : null);
  }
  if (/^GIF8[79]a$/.test(head.toString("latin1", 0, 6))) {
    return sized("GIF image", "image/gif", head.length >= 10 ? [head.readUInt16LE(6), head.readUInt16LE(8)] : null);
  }
  if (head.toString("latin1", 0, 3) === "\xff\xd8\xff") return sized("JPEG image", "image/jpeg", jpegSize(head));
  if (head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP")
    return sized("WebP image", "image/webp", webpSize(head));
  return null;
}

/** From the start-of-frame segment. Source: ITU-T T.81, annex B. */
function jpegSize(head: Buffer): readonly [number, number] | null {
  let at = 2;
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return [head.readUInt16BE(at + 7), head.readUInt16BE(at + 5)];
    at += marker === 0xff ? 1 : 2 + head.readUInt16BE(at + 2);
  }
  return null;
}

/** Source: RFC 9649, section 2. */
function webpSize(head: Buffer): readonly [number, number] | null {
  if (head.length < 30) return null;
  const chunk = head.toString("latin1", 12, 16);
  if (chunk === "VP8 ") return [head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff];
  if (chunk === "VP8X") return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1];
  if (chunk !== "VP8L") return null;
  const bits = head.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}

import fc from "fast-check";

/** What shells, option parsers and globs have been broken with. */
const KNOWN = [
  [
    "'",
    '"',
    "`",
    "\\",
    "''",
    "'\"'\"'",
    "\\'",
    '\\"',
    "$'\\n'",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "$(touch pwned)",
    "`touch pwned`",
  ],
  [
    "${IFS}",
    "$HOME",
    "$$",
    "$((1+1))",
    "!!",
    "!$",
    "~",
    "~root",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "<(touch pwned)",
    ">pwned",
    "| touch pwned",
    "&& touch pwned",
    "& touch pwned",
    "; touch pwned #",
  ],
  [
    "-",
    "--",
    "-e",
    "--pre=touch",
    "--pre",
    "-f/etc/passwd",
    "--files",
    "-rf",
    "--help",
    "-v",
    "->name",
    "--hostname-bin=touch",
  ],
  [
    "\n",
    "\r\n",
    "\t",
    "a\nb",
    "a\n\ntouch pwned\n",
    "\\\n",
    "#",
    "#!",
    " ",
    "  a  b  ",
    "a b",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\u202e",
  ],
  ["é", "e\u0301", "日本", "𝒳", "👩‍👩‍👧", "\u{10ffff}", "\ufffd", "\ud83d\ude00 $(touch pwned)"],
].flat();

/** Every control character but NUL, alone and between others. */
const CONTROLS = [
  ...Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)),
  "\x7f",
  ...Array.from({ length: 32 }, (_, i) => String.fromCharCode(0x80 + i)),
];

const PIECES = fc.oneof(
  fc.constantFrom(...KNOWN),
  fc.constantFrom(...CONTROLS),
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => text.replaceAll("\0", "")),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);

/** At least `count` values that a command line can carry: known ones, every control character, and generated mixtures of them. */
export function hostileValues(count: number, seed: number): string[] {
  const generated = fc.sample(
    fc.array(PIECES, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join("")),
    { numRuns: count, seed },
  );
  return [...KNOWN, ...CONTROLS, ...CONTROLS.map((c) => `a${c}'b${c}`), ...generated].filter(
    (value) => value !== "" && !/\0|\p{Surrogate}/u.test(value),
  );
}

/** Values that no command line can carry. */
export const UNCARRIABLE = ["\0", "a\0b", "\ud800", "\udc00", "a\udfffb", "\ude00\ud83d", "'\ud83d'"];

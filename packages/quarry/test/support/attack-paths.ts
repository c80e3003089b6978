import fc from "fast-check";

/** Where an attack is to get to, and from where. */
export interface AttackSite {
  /** Host folder that holds all. */
  readonly site: string;
  /** A host folder that may be seen; its sibling `<root>-evil` may not. */
  readonly root: string;
  /** Names that mean something there: folders, files, links, denied ones. */
  readonly names: readonly string[];
  /** Virtual folders in front; `""` for none. */
  readonly virtual?: readonly string[];
}

/** What means something everywhere: steps up, encodings, look-alikes, host folders, URLs, drives, globs, shell, odd characters. */
const EVERYWHERE = [
  "..",
  ".",
  "",
  "...",
  ". .",
  " ",
  "%2e%2e",
  "%2f",
  "..%2f",
  "%00",
  "%252e%252e",
  "\\x2e\\x2e",
  "\\x2f",
  "..\\",
  "..\\..",
  "\\",
  "\\\\?\\",
  "C:",
  "~",
  "$HOME",
  "\udc2e\udc2e",
  "\udcc0\udcae",
  "\ud800",
  "․․",
  "．．",
  "\u2025",
  "\u202e",
  "\u200b",
  "..\0",
  "\0",
  "\n",
  "etc",
  "passwd",
  "proc",
  "self",
  "fd",
  "cwd",
  "root",
  "environ",
  "dev",
  "zero",
  "@artifacts",
  "file:",
  "file://",
  "file:///",
  "x".repeat(300),
  "[a-z]*",
  "*",
  "**",
  "{..,a}",
  "{a,b}",
  "$(id)",
  "-rf",
  "-v",
  "--pre=x",
];

/** The same name as a careless check would not know it: letter case, Unicode forms, encodings, ends that Windows drops. */
function variants(name: string): string[] {
  const encoded = [...Buffer.from(name)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const escaped = [...Buffer.from(name)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  const wide = name.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
  const upper = name.toUpperCase();
  const first = name.slice(0, 1).toUpperCase() + name.slice(1);
  return [
    upper,
    first,
    name.normalize("NFD"),
    encoded,
    escaped,
    wide,
    `${name}.`,
    `${name} `,
    `${name}::$DATA`,
    `${name}\0`,
  ];
}

/** Hostile paths: pieces joined by hostile separators, repeated, percent-encoded, as URLs, below virtual and host folders. */
export function attackPath({ site, root, names, virtual = [""] }: AttackSite): fc.Arbitrary<string> {
  const hosts = [root, site, `${root}-evil`, site.slice(1)];
  const piece = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...names) },
    { weight: 4, arbitrary: fc.constantFrom("..", ...EVERYWHERE, ...hosts) },
    { weight: 1, arbitrary: fc.constantFrom(...names.flatMap(variants)) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  );
  const separator = fc.constantFrom("/", "/", "/", "/", "//", "\\", "/./", "/../", "%2f", "");
  const way = fc
    .array(fc.tuple(piece, separator), { minLength: 1, maxLength: 9 })
    .map((parts) => parts.map(([a, b]) => a + b).join(""));
  const front = fc.constantFrom(...virtual, ...virtual, "", "/", `${root}/`, `${site}/`, "file://", `file://${site}/`);
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.tuple(front, way).chain(([at, text]) => {
        const whole = at + text;
        return fc.constantFrom(whole, whole, whole, encodeURI(whole.replace(/[\ud800-\udfff]/g, "")), whole.repeat(40));
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        site,
        root,
        `${root}/../secret.txt`,
        `${root}-evil/secret.txt`,
        "/proc/self/environ",
        "/proc/self/cwd/../secret.txt",
        "/dev/zero",
        "//etc/passwd",
        "C:\\secret.txt",
        "x".repeat(5_000),
        "a/".repeat(3_000),
        "../".repeat(200),
      ),
    },
  );
}

import fc from "fast-check";
import type { TreeSpec } from "../support/tree.js";

/** Names that collide with each other and with rules; none that a case-insensitive system would mix up. */
const NAMES = [
  "a",
  "b",
  "ab",
  "abc",
  "foo",
  "foobar",
  "a.js",
  "b.js",
  "x.min.js",
  "c.d.ts",
  ".dot",
  ".x",
  "a b",
  "b ",
  "#h",
  "!n",
];
/** Names outside ASCII, a byte that is not UTF-8, and names that are glob syntax. */
const ODD_NAMES = ["é", "日本", "caf\udce9", "[a]", "{a,b}", "a*", "q?", "back\\slash", "😀.js", "tab\t"];

/** Paths of files: no path is a folder of another one. */
export function paths(odd: boolean): fc.Arbitrary<string[]> {
  const name = odd ? fc.constantFrom(...NAMES, ...ODD_NAMES) : fc.constantFrom(...NAMES);
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  return fc.array(path, { minLength: 1, maxLength: 24 }).map((all) => {
    const kept: string[] = [];
    for (const one of all) {
      if (!kept.some((k) => k === one || k.startsWith(`${one}/`) || one.startsWith(`${k}/`))) kept.push(one);
    }
    return kept;
  });
}

/** Plain parts of rules, on which git and rg agree. */
const ATOMS = ["a", "b", "ab", "foo", "foobar", "a.js", ".js", ".", "x", "*", "*", "?", "[ab]", "[a-c]", "\\a", ".dot"];
/** Parts on which they do not: what git makes of these is right in its own files. */
const ODD_ATOMS = [
  "[",
  "]",
  "[]a]",
  "{a,b}",
  "{",
  "\\",
  "\\*",
  "[[:alpha:]]",
  "[[:no:]]",
  "[\\]]",
  "[^a]",
  "[!a]",
  "[z-a]",
  "é",
  "\t",
  " ",
  "😀",
  "[é]",
  "**",
  "***",
  "-",
];

function component(odd: boolean): fc.Arbitrary<string> {
  const atom = odd
    ? fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...ATOMS) },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_ATOMS) },
      )
    : fc.constantFrom(...ATOMS);
  return fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => {
    const text = atoms.join("");
    return odd ? text : text.replaceAll(/\*\*+/g, "*");
  });
}

/** One glob with folders. */
export function glob(odd: boolean): fc.Arbitrary<string> {
  const part = fc.oneof({ weight: 5, arbitrary: component(odd) }, { weight: 1, arbitrary: fc.constant("**") });
  return fc
    .record({
      lead: fc.constantFrom("", "", "", "/"),
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
      tail: fc.constantFrom("", "", "/"),
    })
    .map(({ lead, parts, tail }) => `${lead}${parts.join("/")}${tail}`);
}

/** One line of an ignore file. */
export function rule(odd: boolean): fc.Arbitrary<string> {
  const special = odd
    ? [
        "",
        "#a",
        "\\#h",
        "\\!n",
        "!",
        "/",
        "b\\ ",
        "a   ",
        "b \\  ",
        "!/a",
        "foo\r",
        "//a",
        "a//b",
        "foo/**",
        "**/foo/**",
        "foo\\/",
      ]
    : ["", "#a", "\\#h", "\\!n", "a   ", "foo/**", "**/a", "*", "/*", "!*/"];
  return fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom("", "", "", "!"), glob(odd)).map(([not, text]) => not + text) },
    { weight: 1, arbitrary: fc.constantFrom(...special) },
  );
}

/** A tree with ignore files of the given names in some of its folders. */
export function treeWithRules(
  names: readonly string[],
  odd: boolean,
  line: fc.Arbitrary<string> = rule(odd),
): fc.Arbitrary<TreeSpec> {
  const lines = fc.array(line, { minLength: 1, maxLength: 5 });
  const placed = fc.array(fc.record({ at: fc.nat(30), up: fc.nat(3), name: fc.constantFrom(...names), lines }), {
    minLength: 1,
    maxLength: 4,
  });
  return fc.tuple(paths(odd), placed).map(([files, rules]) => {
    const spec: Record<string, string> = Object.fromEntries(files.map((f) => [f, ""]));
    for (const { at, up, name, lines: text } of rules) {
      const folders = (files[at % files.length] as string).split("/").slice(0, -1);
      const folder = folders.slice(0, Math.max(0, folders.length - up));
      spec[[...folder, name].join("/")] = `${text.join("\n")}\n`;
    }
    return spec;
  });
}

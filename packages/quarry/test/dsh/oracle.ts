import { lutimesSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { AutoEngine } from "#src/engines/auto/engine.js";
import { LocalBashExecutor } from "#src/executors/local.js";
import { readGlobArguments, readGrepArguments } from "#src/profiles/dsh/arguments.js";
import { bashFinder } from "#src/profiles/dsh/bash-finder.js";
import { ArgumentFailure, SearchFailure } from "#src/profiles/dsh/errors.js";
import type { Finder, SearchCall } from "#src/profiles/dsh/finder.js";
import { toHostBytes } from "#src/paths/path.js";
import { globSearch, grepSearch } from "#src/profiles/dsh/search.js";
import { resolveDshSettings } from "#src/profiles/dsh/settings.js";
import { globText, grepText } from "#src/profiles/dsh/text.js";
import { inProcessFinder } from "#src/tools/dsh-in-process.js";
import { anyPlace } from "#src/tools/dsh-places.js";
import { makeTree, type TreeSpec } from "../support/tree.js";

const executor = new LocalBashExecutor({ workdir: "/", programs: [dirname(rgPath)] });
/** The contract's commands, by the packaged ripgrep. */
export const byRipgrep: Finder = bashFinder(executor);
/** The engines in process, where no ripgrep can be started. */
export const inProcess: Finder = inProcessFinder(anyPlace(executor), new AutoEngine({ binary: "/no/such/rg" }));

const SETTINGS = resolveDshSettings({ globMaxResults: 1_000_000, grepMaxMatches: 1_000_000, grepMaxLineBytes: 60 });

/** What a model reads, or the code and message of the error. */
export async function answer(
  finder: Finder,
  tool: "glob" | "grep",
  args: unknown,
  call: SearchCall,
  given: Parameters<typeof resolveDshSettings>[0] = SETTINGS,
): Promise<string> {
  const settings = resolveDshSettings({ ...SETTINGS, ...given });
  try {
    return tool === "glob"
      ? globText(await globSearch(finder, readGlobArguments(args), call, settings), null, settings)
      : grepText(await grepSearch(finder, readGrepArguments(args), call, settings), null, settings);
  } catch (error) {
    if (error instanceof SearchFailure) return `${error.code}: ${error.message}`;
    if (error instanceof ArgumentFailure) return `ARGUMENT: ${error.message}`;
    throw error;
  }
}

const NAMES = [
  "a",
  "b",
  "ab",
  "foo",
  "a.ts",
  "b.js",
  ".dot",
  ".x.ts",
  ".git",
  ".hg",
  "a b",
  "#h",
  "[a]",
  "é",
  "caf\udce9",
  "-x",
  "new\nline",
];

const SEGMENTS = [
  "a",
  "b",
  "ab",
  "foo",
  "*",
  "**",
  "*.ts",
  "*.js",
  ".*",
  "?",
  "a?",
  "[ab]",
  "[!a]",
  "{a,b}",
  "{a,*.ts}",
  "*b*",
  ".dot",
  ".git",
  "é",
  "*é",
];

/** Globs of a few parts, many of which match something. */
export const globs = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom("*", "**", "**/*", "*.ts", "keep*", "b/*", "b/**", "a/**", "/a", "*/", "**/b/*", "!x"),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        parts: fc.array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 3 }),
        before: fc.constantFrom("", "", "", "/", "./"),
        after: fc.constantFrom("", "", "", "", "/", "/**", " "),
      })
      .map(({ parts, before, after }) => before + parts.join("/") + after),
  },
);

const RULES = fc
  .record({ glob: globs, negated: fc.boolean(), weight: fc.nat(2) })
  .map(({ glob, negated, weight }) => (negated && weight > 0 ? `!${glob}` : glob));

const LINES = [
  "needle",
  "Needle a",
  "",
  "x needle\r",
  "a needle b\r",
  "needle\r\r",
  "\ufeffneedle",
  "\0needle",
  "needle é",
  "日本",
  "needle".padEnd(3_000, "yz"),
];

const CONTENT = fc
  .array(
    fc.oneof(
      fc.constantFrom(...LINES).map((text) => Buffer.from(text)),
      fc.constant(Buffer.from([110, 101, 101, 100, 108, 101, 0xff])),
    ),
    {
      maxLength: 5,
    },
  )
  .chain((lines) =>
    fc
      .constantFrom("\n", "\n", "")
      .map((end) =>
        Buffer.concat([
          ...lines.flatMap((line, i) => (i === 0 ? [line] : [Buffer.from("\n"), line])),
          Buffer.from(end),
        ]),
      ),
  )
  .filter((text) => text.at(-1) !== 13);

/** A tree with ignore files; a path is never a folder of another one. */
export const trees: fc.Arbitrary<TreeSpec> = fc
  .record({
    files: fc.array(
      fc.record({ path: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }), content: CONTENT }),
      { minLength: 1, maxLength: 16 },
    ),
    rules: fc.array(
      fc.record({
        folder: fc.constantFrom("", "", "a/", "b/", "foo/", "a/b/"),
        file: fc.constantFrom(".gitignore", ".gitignore", ".ignore", ".rgignore", ".git/info/exclude"),
        lines: fc.array(RULES, { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 4 },
    ),
    repository: fc.constantFrom(null, "", "", "a/", "a/b/"),
    links: fc.array(fc.constantFrom("l1", "a/l2", "b/l3"), { maxLength: 2 }),
  })
  .map(({ files, rules, repository, links }) => {
    const spec: Record<string, TreeSpec[string]> = { "a/b/keep": "needle\n", "b/keep.ts": "needle\n" };
    const add = (path: string, entry: TreeSpec[string]): void => {
      const taken = Object.keys(spec).some(
        (one) => one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`),
      );
      // A file of that name that leads nowhere is an error to ripgrep.
      if (!taken && !/(?:^|\/)\.git$/.test(path)) spec[path] = entry;
    };
    if (repository !== null) add(`${repository}.git/HEAD`, "needle\n");
    for (const { folder, file, lines } of rules) add(folder + file, lines.join("\n"));
    for (const { path, content } of files) add(path.join("/"), content);
    for (const link of links) add(link, { link: "b" });
    return spec;
  });

/** What stands in every tree, and what may. */
const THERE = ["", "a", "a/b", "b", "b", "b/keep.ts", "a/b/keep"];
const MAYBE = ["foo", "l1", "b/l3", ".git", "gone", "a/b/keep/x", "ab", ".dot"];
const FORMS: readonly ((path: string, workdir: string) => string)[] = [
  (path, workdir) => posix.relative(`/${workdir}`, `/${path}`) || ".",
  (path, workdir) => posix.relative(`/${workdir}`, `/${path}`) || ".",
  (path, workdir) => `./${posix.relative(`/${workdir}`, `/${path}`)}`,
  (path, workdir) => `${posix.relative(`/${workdir}`, `/${path}`) || "."}/`,
  (path, workdir) => `${posix.relative(`/${workdir}`, "/") || "."}//${path}`,
  (path, workdir) => `${posix.relative(`/${workdir}`, "/b") || "."}/../${path}`,
  (path) => `%/${path}`,
  (path) => `%/./${path}/`,
];

/** Where a call is made, relative to the tree's root, and what it names. */
export const places = fc
  .record({
    workdir: fc.constantFrom("", "", "", "a", "b", "a/b"),
    path: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 5, arbitrary: fc.constantFrom(...THERE) },
      { weight: 2, arbitrary: fc.constantFrom(...MAYBE) },
    ),
    form: fc.constantFrom(...FORMS),
  })
  .map(({ workdir, path, form }) => ({ workdir, path: path === undefined ? undefined : form(path, workdir) }));

/** Makes the tree with times of modification of which several are equal. */
export function place(spec: TreeSpec): string {
  const root = makeTree(spec);
  let n = 0;
  for (const path of Object.keys(spec)) {
    n += 1;
    lutimesSync(toHostBytes(`${root}/${path}`), 1_000, 1_000 + ((n * 7) % 5) / 4);
  }
  return root;
}

/** The arguments and the call of a question in a tree. */
export function asked<T extends object>(
  root: string,
  question: { readonly workdir: string; readonly path: string | undefined } & T,
): { readonly args: object; readonly call: SearchCall } {
  const { workdir, path, ...rest } = question;
  const args = Object.fromEntries(
    Object.entries({ ...rest, path: path?.replace(/^%/, root) }).filter(([, value]) => value !== undefined),
  );
  return { args, call: { workdir: join(root, workdir) } };
}

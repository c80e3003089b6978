// @ts-check
/** docs/deerflow.md: the profile's tools, limits and ignore set, from the code that applies them. */

/** @typedef {typeof import("../../packages/quarry/dist/deerflow.js")} Deerflow */
/** @typedef {typeof import("../../packages/quarry/dist/profiles/deerflow/limits.js")} Limits */

/** @param {string} module Path below the build of packages/quarry. */
function product(module) {
  return import(new URL(`../../packages/quarry/dist/${module}`, import.meta.url).href);
}

/** @param {number} value */
function number(value) {
  return value.toLocaleString("en-US");
}

/** @returns {Promise<string>} */
export async function deerflowPage() {
  /** @type {Deerflow} */
  const { IGNORED, GLOB_RESULTS, GREP_RESULTS, deerflowTools, promptSection } = await product("deerflow.js");
  /** @type {Limits} */
  const limits = await product("profiles/deerflow/limits.js");
  // What a tool says of itself needs no sandbox behind it.
  const tools = deerflowTools({ sandbox: /** @type {any} */ (null), write: true });
  const calls = tools.map(
    ({ name, description, inputSchema }) => `| \`${call(name, inputSchema)}\` | ${description} |`,
  );
  return [
    "# The profile deerflow",
    "",
    "Tools of a sandbox: absolute virtual paths, plain texts, fixed limits. `quarry mcp --root <folder> --profile deerflow` serves",
    "them over one folder, shown as `/mnt/user-data/workspace`; `--allow-write` adds the two that write. As a library: `quarry/deerflow`.",
    "Each sentence of its contract, with the tests that prove it: [sandbox-contract.md](sandbox-contract.md).",
    "",
    "## Tools",
    "",
    "| Call | What it does |",
    "| --- | --- |",
    ...calls,
    "",
    "`description` is a note for a user interface and changes nothing. `path` is absolute; `..` may not leave the mount that it begins in.",
    "Globs are relative to `path`: without `/` a name at any depth, otherwise from there on; `**` is zero or more folders.",
    "",
    "## Limits",
    "",
    "| What | Default | Ceiling |",
    "| --- | --- | --- |",
    `| \`max_results\` of \`glob\`, in paths | ${number(GLOB_RESULTS.default)} | ${number(GLOB_RESULTS.ceiling)} |`,
    `| \`max_results\` of \`grep\`, in lines | ${number(GREP_RESULTS.default)} | ${number(GREP_RESULTS.ceiling)} |`,
    "",
    "0 or less means the default. The least of that, of what is configured and of the ceiling counts.",
    "",
    "`grep` shows lines of text files. It skips, counts, and tells in one line behind the matches:",
    "",
    `- files with a NUL in their first ${number(limits.BINARY_HEAD_BYTES)} bytes, files of more than ${number(limits.MAX_FILE_BYTES)} bytes, and lines of more than`,
    `  ${number(limits.MAX_LINE_CHARS)} characters, each where it matches: what does not match is not missing;`,
    "- symbolic links, special files, what cannot be read, what the operator denies or has switched off.",
    "",
    `A shown line has at most ${number(limits.SHOWN_LINE_CHARS)} characters, \`...\` at its cut among them; bytes that are not UTF-8 are shown as U+FFFD. Of a cut answer,`,
    "what was skipped behind its last line is not counted.",
    "",
    "`glob` and `ls` show a symbolic link where it leads to something inside, and do not walk through it.",
    "",
    "## What is left out by name",
    "",
    "`ls`, `glob` and `grep` share this set. It is of base names, of files and folders alike; what is below such a folder is not looked at.",
    "Letter case counts, except on Windows. `.gitignore` and hidden names play no part. A folder or file that is named as `path` is",
    "searched whatever its name.",
    "",
    ...IGNORED.map(({ what, names }) => `- **${what}**: ${names.map((name) => `\`${name}\``).join(", ")}`),
    "",
    "## Deliberate differences from the original",
    "",
    "- **Dialect.** Patterns are ripgrep's (Rust regex, linear time), not Python's `re`. What only Python has (look-around, backreferences)",
    "  is refused as an invalid pattern, with a way out: a backtracking engine can be made to hang.",
    "- **Truncated** means that more exist. The original says so at exactly N results too.",
    "- **Order** is by path, then line, the same in every run and from every engine. The original's is the file system's.",
    "- **`**`** matches zero folders everywhere: `src/**/x.py` finds `src/x.py`.",
    "- **Skips are told.** The original drops large files and long lines without a word.",
    "- **`str_replace`** refuses a text that is there more than once, unless `replace_all`; the original replaces the first.",
    "- **Version control** of `.jj` and `.sl` is left out as well.",
    "",
    "## The prompt",
    "",
    "`promptSection(tools, bash)` gives the section of a system prompt for the tools that are on. With all of them:",
    "",
    "```text",
    promptSection(tools, "bash"),
    "```",
    "",
    "## Other sandboxes",
    "",
    "The tools call a `Sandbox`: `glob`, `grep`, `ls`, `readFile`, `writeFile`, `strReplace`. `LocalSandbox` is this machine's. Another one (a",
    "container, a remote service) implements the same six functions; `guardedSandbox` wraps it where its answers are not yours: of what it",
    "returns only well-formed results below the asked path are kept, and what was dropped is counted. Every provider runs the",
    "conformance suite in `packages/quarry/test/sandbox/conformance.ts`.",
    "",
  ].join("\n");
}

/**
 * @param {string} name
 * @param {Readonly<Record<string, unknown>>} schema
 */
function call(name, schema) {
  const properties = /** @type {Record<string, { default?: unknown }>} */ (schema["properties"]);
  const required = /** @type {string[]} */ (schema["required"]);
  const args = Object.entries(properties).map(([argument, { default: value }]) =>
    required.includes(argument)
      ? argument
      : value === undefined
        ? `${argument}?`
        : `${argument} = ${JSON.stringify(value)}`,
  );
  return `${name}(${args.join(", ")})`;
}

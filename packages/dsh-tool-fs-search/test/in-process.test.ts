/** `engine: auto`: the plugin answers by itself. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SearchError } from "dsh-tool-fs-search";
import { agentIn, BASE, BASH, folder, loadRows, search, spill, STATE, textOf } from "./support/harness.js";
import { inPath, RIPGREPS } from "./support/rg.js";
import { script } from "./support/scripted-shell.js";
import { installedWithoutProgram } from "./support/without-program.js";

const SCRIPTED = { id: "shell", name: new URL("./support/scripted-shell.js", import.meta.url).href };
const EXAMPLE = fileURLToPath(new URL("../../../examples/dsh/without-ripgrep.yml", import.meta.url));

function tree(files: Readonly<Record<string, string | Buffer>>): string {
  const root = folder();
  for (const [at, [path, text]] of Object.entries(files).entries()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), at + 1, at + 1);
  }
  return root;
}

test("[A-100] the bash service is asked where a call is made, and for nothing else", async (t) => {
  const asked = script({ rejects: new Error("no bash here") }, { rejects: new Error("no bash here") });
  const harness = await loadRows(t, [...BASE, SCRIPTED, search({ engine: "auto" })]);
  assert.equal(harness.entry("search").fiber?.state, STATE.ACTIVE);
  assert.deepEqual(harness.toolNames(), ["glob", "grep"]);
  assert.deepEqual(await harness.promptSections(), ["tool:glob", "tool:grep"]);
  assert.equal(asked.requests.length, 0);
  const cwd = tree({ "b.txt": "needle\n", "a.txt": "needle\n" });
  const agent = agentIn(cwd);
  assert.equal(await harness.text("glob", { pattern: "*" }, { agent }), "b.txt\na.txt");
  assert.equal(
    await harness.text("grep", { pattern: "needle" }, { agent }),
    "Found 2 matches\n\na.txt\nLine 1: needle\n\nb.txt\nLine 1: needle",
  );
  assert.deepEqual([...new Set(asked.requests.map((request) => request.workdir))], [cwd]);
  assert.deepEqual([asked.specs.length, asked.started], [0, 0]);
});

test("[A-100][A-081] fault-12 fault-62: the example, where neither a shell nor ripgrep's program is to be had", () => {
  const plugin = installedWithoutProgram();
  const composition = join(folder(), "cordis.yml");
  const example = readFileSync(EXAMPLE, "utf8");
  const named = example.replace(
    "name: dsh-tool-fs-search",
    `name: ${pathToFileURL(join(plugin, "dist/index.js")).href}`,
  );
  assert.notEqual(named, example);
  writeFileSync(composition, named);
  const cwd = tree({ "b.ts": "needle 1\n", "a/a.ts": "x\nneedle 2\r\n", ".ignore": "out\n", "out/o.ts": "needle\n" });
  const questions = [
    ["glob", { pattern: "*.ts" }, cwd],
    ["grep", { pattern: "needle" }, cwd],
    ["grep", { pattern: "ne{2}dle\\s\\d" }, cwd],
    ["grep", { pattern: "absent" }, cwd],
    ["grep", { pattern: "(" }, cwd],
    ["glob", { pattern: "[z-a]" }, cwd],
    ["grep", { pattern: "x", path: "gone" }, cwd],
  ];
  const child = fileURLToPath(new URL("./support/search-elsewhere.js", import.meta.url));
  const printed = execFileSync(process.execPath, [child, composition], {
    env: { PATH: folder() },
    input: JSON.stringify(questions),
    encoding: "utf8",
  });
  const two = "Found 2 matches\n\na/a.ts\nLine 2: needle 2\n\nb.ts\nLine 1: needle 1";
  assert.deepEqual(JSON.parse(printed), {
    tools: ["glob", "grep"],
    warnings: [],
    answers: [
      ["ok", "b.ts\na/a.ts\nout/o.ts"],
      ["ok", two],
      ["ok", two],
      ["ok", "No matches found"],
      [
        "SEARCH_INVALID_PATTERN",
        "Error: ripgrep does not take this pattern: rg: regex parse error:\n    (?:()\n    ^\nerror: unclosed group",
      ],
      [
        "SEARCH_INVALID_PATTERN",
        "Error: ripgrep does not take this pattern: rg: error parsing glob '[z-a]': invalid range; 'z' > 'a'",
      ],
      ["SEARCH_FAILED", 'Error: grep cannot search "gone": it does not exist in the working directory'],
    ],
  });
});

test("[A-101] pages, footers and stored results are the contract's", async (t) => {
  const store = folder();
  const config = { engine: "auto", globMaxResults: 1, grepMaxMatches: 1, grepMaxLineBytes: 8 };
  const harness = await loadRows(t, [...BASE, BASH, spill(store), search(config)]);
  const agent = agentIn(tree({ a: "needle and more\n", b: "needle\n" }));
  const glob = await harness.text("glob", { pattern: "*" }, { agent });
  const stored = /^a\n\n\(Showing 1 of 2 paths\. Full sorted result stored at: (\S+)\. Use read/.exec(glob)?.[1] ?? "";
  assert.equal(readFileSync(stored, "utf8"), "a\nb");
  const grep = await harness.text("grep", { pattern: "needle" }, { agent });
  assert.match(
    grep,
    /^Found 1 of 2 matches\n\na\nLine 1: needle a… \(7 bytes of this line cut\)\n\n\(Full grep result stored at: /,
  );
});

test("[A-103] fault-14: more than rawOutputMaxBytes is an overflow, whichever tool", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search({ engine: "auto", rawOutputMaxBytes: 20_000 })]);
  const files = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`f${i}`, ""]));
  const agent = agentIn(tree({ ...files, long: "needle\n".repeat(10_000), wide: `needle${"x".repeat(30_000)}\n` }));
  for (const [name, args, narrow] of [
    ["glob", { pattern: "f*" }, "pattern or path"],
    ["grep", { pattern: "needle", path: "long" }, "pattern, path, or include"],
    ["grep", { pattern: "ne{2}dle", path: "long" }, "pattern, path, or include"],
    ["grep", { pattern: "needle", path: "wide" }, "pattern, path, or include"],
  ] as const) {
    const result = await harness.call(name, args, { agent });
    assert.equal(result.isError && result.error.info?.code, "SEARCH_RAW_OUTPUT_OVERFLOW", textOf(result));
    assert.match(textOf(result), new RegExp(`over 20000 bytes; narrow ${narrow} and call again$`));
  }
  assert.match(await harness.text("glob", { pattern: "f1*" }, { agent }), /^f1\nf10\n/);
});

test("[A-103] a call that is cancelled, before or meanwhile, is SEARCH_ABORTED and never an empty answer", async (t) => {
  const plugin = await import("dsh-tool-fs-search");
  const harness = await loadRows(t, [...BASE, BASH]);
  await harness.ctx.inject(["tools", "systemPrompt", "shell"], (ctx) => plugin.apply(ctx, { engine: "auto" }));
  const agent = agentIn(
    tree(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`d${i}/f`, "text\n".repeat(50)]))),
  );
  for (const name of ["glob", "grep"]) {
    for (const wait of [null, 0, 2]) {
      const tool = harness.ctx.tools.get(name);
      assert.ok(tool);
      const stop = new AbortController();
      if (wait === null) stop.abort();
      else setTimeout(() => stop.abort(), wait);
      const exec = { name, callId: "call-1", signal: stop.signal, agent } as unknown as Parameters<
        typeof tool.execute
      >[1];
      try {
        const value = (await tool.execute({ pattern: name === "glob" ? "*" : "t.x{1}t" }, exec)) as object;
        // The machine was faster.
        assert.ok(wait !== null && JSON.stringify(value).length > 1_000);
      } catch (error) {
        assert.ok(error instanceof SearchError, String(error));
        assert.equal(error.code, "SEARCH_ABORTED");
        assert.match(error.message, /was stopped before it finished: the call was cancelled or its own time limit/);
      }
    }
  }
});

test("[A-020][A-100] an engine that does not exist fails the load and is named", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search({ engine: "rg" })]);
  const { fiber } = harness.entry("search");
  assert.equal(fiber?.state, STATE.FAILED);
  await assert.rejects(fiber.await(), /engine/);
  const plugin = await import("dsh-tool-fs-search");
  const wrong = { engine: "rg" } as unknown as { engine: "auto" };
  await assert.rejects(async () => {
    await harness.ctx.inject(["tools", "systemPrompt", "shell"], (ctx) => plugin.apply(ctx, wrong));
  }, /tool-fs-search: engine must be bash or auto, not "rg"/);
});

interface Difference {
  readonly what: string;
  readonly tool: "glob" | "grep";
  readonly args: object;
  readonly setting: keyof typeof SETTINGS;
  readonly bash: string;
  readonly auto: string;
}

const SETTINGS = { default: {}, narrow: { rawOutputMaxBytes: 300 } } as const;
const DIFFERENCES = JSON.parse(
  readFileSync(new URL("../differences-auto.json", import.meta.url), "utf8"),
) as readonly Difference[];

test("[A-102] every listed difference from engine: bash is one, as it is listed", async (t) => {
  inPath(t, RIPGREPS[0]?.folder ?? "");
  const config = tree({ "git/ignore": "global\n" });
  const before = process.env["XDG_CONFIG_HOME"];
  process.env["XDG_CONFIG_HOME"] = config;
  t.after(() => {
    if (before === undefined) delete process.env["XDG_CONFIG_HOME"];
    else process.env["XDG_CONFIG_HOME"] = before;
  });
  const agent = agentIn(
    tree({
      "cls/a/b": "",
      "cls/a-b": "",
      "late/a": `needle 1\n${"filler line\n".repeat(12_000)}needle 2\n\0\nneedle 3\n`,
      "cr/a": "needle\r",
      "bytes/.ignore": Buffer.from([0x61, 0xff, 10, 0x62, 10]),
      "bytes/b": "needle\n",
      "bytes/c": "needle\n",
      "many/.ignore": `${Array.from({ length: 20_000 }, (_, i) => `x${i}`).join("\n")}\nhit\n`,
      "many/hit": "needle\n",
      "many/keep": "needle\n",
      "repository/.git/HEAD": "",
      "repository/global": "needle\n",
      "repository/keep": "needle\n",
      raw: "needle\n",
    }),
  );
  for (const [setting, given] of Object.entries(SETTINGS)) {
    const bash = await loadRows(t, [...BASE, BASH, search(given)]);
    const auto = await loadRows(t, [...BASE, BASH, search({ ...given, engine: "auto" })]);
    for (const row of DIFFERENCES.filter((one) => one.setting === setting)) {
      assert.equal(await bash.text(row.tool, row.args, { agent }), row.bash, row.what);
      assert.equal(await auto.text(row.tool, row.args, { agent }), row.auto, row.what);
    }
  }
});

import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { AutoEngine } from "#src/engines/auto/engine.js";
import { FirstAble } from "#src/engines/auto/first-able.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { QuarryError } from "#src/errors/errors.js";
import type { SearchEngine } from "#src/search/engine.js";
import { fakeRipgrep } from "./fake.js";
import { ask, batchesOf, children, makePlace, run, type Place } from "./place.js";

const place = (): Promise<Place> => makePlace({ a: "x1\nx2\n", "b/c": "x\n", d: "y\n" });

/** A question that the kernel leaves to ripgrep. */
const spanning = ask("x1\\nx", { multiline: true });

test("the kernel answers what it can by itself, ripgrep the rest, and the report says who", async () => {
  const at = await place();
  const engine = new AutoEngine();
  // For a few questions about few files no worker is started.
  for (let i = 0; i < 3; i++) assert.equal((await run(engine, at, ask("x"))).report.answeredBy, "ripgrep");
  for (const [query, who] of [
    [ask("x"), "kernel"],
    [ask("x1|x2"), "kernel"],
    [spanning, "ripgrep"],
    [ask("x", { encoding: "latin1" }), "ripgrep"],
    [ask("^.*$"), "ripgrep"],
    [ask("x(?=1)", { pcre2: true }), "ripgrep"],
  ] as const) {
    const { report } = await run(engine, at, query);
    assert.deepEqual([report.answeredBy, report.fallback], [who, undefined], query.pattern);
  }
});

/** Programs that cannot run, each as a system shows it. */
const UNABLE: readonly (readonly [what: string, make: () => string])[] = [
  ["missing", () => "/nowhere/rg"],
  ["not executable", () => edited((path) => chmodSync(path, 0o644))],
  ["no program", () => edited((path) => writeFileSync(path, "\x7fELF not really"))],
  ["another machine's loader", () => edited((path) => writeFileSync(path, "#!/nowhere/ld-musl.so\n"))],
  [
    "an old libc, status 1",
    () => fakeRipgrep(`process.stderr.write(process.argv[1] + ": version GLIBC_9.99 not found\\n"); process.exit(1)`),
  ],
  [
    "a missing library, status 127",
    () =>
      fakeRipgrep(`process.stderr.write(process.argv[1] + ": cannot open shared object file\\n"); process.exit(127)`),
  ],
  ["forbidden by a filter", () => fakeRipgrep(`process.kill(process.pid, "SIGSYS")`)],
];

function edited(edit: (path: string) => void): string {
  const path = fakeRipgrep("");
  edit(path);
  return path;
}

for (const [what, make] of UNABLE) {
  test(`fault-62: where ripgrep cannot run (${what}), another engine gives the same answer and says so`, async () => {
    const at = await place();
    const binary = make();
    const expected = await run(new RipgrepEngine(), at, spanning);
    const { found, report } = await run(new AutoEngine({ binary }), at, spanning, { chunk: 1 });
    assert.deepEqual(found, expected.found);
    assert.deepEqual([report.answeredBy, report.filesSearched, report.incomplete], ["wasm", 3, null]);
    assert.match(report.fallback ?? "", /^ripgrep: /);
    assert.doesNotMatch(report.fallback ?? "", /\/(?:nowhere|tmp)/, "no host path");
    const kernel = await run(new AutoEngine({ binary }), at, ask("x"));
    assert.deepEqual(
      [kernel.report.answeredBy, kernel.report.fallback],
      ["kernel", undefined],
      "who is not needed is not missed",
    );
    assert.deepEqual(children(), []);
  });
}

test("many files are the kernel's from the first question on", async () => {
  const at = await makePlace(
    Object.fromEntries(Array.from({ length: 2_100 }, (_, i) => [`f${i}`, i === 7 ? "x\n" : ""])),
  );
  for (const chunk of [50, 10_000]) {
    const { found, report } = await run(new AutoEngine(), at, ask("x"), { chunk });
    assert.deepEqual([found.map((f) => f.path), report.answeredBy, report.filesSearched], [["f7"], "kernel", 2_100]);
  }
});

test("fault-12: an invalid pattern is one whoever is asked", async () => {
  const at = await place();
  for (const binary of [undefined, "/nowhere/rg"]) {
    const engine = new AutoEngine(binary === undefined ? {} : { binary });
    for (const query of [ask("("), ask("(", { multiline: true }), ask("a{99999999}")]) {
      await assert.rejects(
        run(engine, at, query),
        (e: unknown) => e instanceof QuarryError && e.code === "INVALID_PATTERN",
      );
    }
  }
});

test("fault-12: where no engine can run, that is an error with each one's reason", async () => {
  const at = await place();
  const engine = new FirstAble([unable("ripgrep", "one"), unable("wasm", "two")]);
  await assert.rejects(
    run(engine, at, ask("x")),
    (e: unknown) =>
      e instanceof QuarryError && e.code === "ENGINE_UNAVAILABLE" && e.message.endsWith("ripgrep: one; wasm: two"),
  );
});

test("an engine that fails when it has reported something is not replaced", async () => {
  const at = await place();
  const broken: SearchEngine = {
    ...unable("ripgrep", ""),
    search: async (_, sink) => {
      await sink({ target: at.target, path: "a", hits: [], guarded: true });
      throw new QuarryError("SEARCH_FAILED", "in the middle");
    },
  };
  const second = unable("wasm", "must not be asked");
  await assert.rejects(run(new FirstAble([broken, second]), at, ask("x"), { sink: () => true }), /in the middle/);
});

test("an error of the walker or the sink is nobody's inability", async () => {
  const at = await place();
  async function* failing(): ReturnType<typeof batchesOf> {
    yield* batchesOf(at);
    throw new QuarryError("SEARCH_FAILED", "walker");
  }
  const engine = new AutoEngine();
  const { signal } = new AbortController();
  for (const query of [ask("zzz"), { ...spanning, pattern: "zzz\\nz" }]) {
    await assert.rejects(
      engine.search({ query, batches: failing(), parallel: 1, signal }, () => true),
      /walker/,
    );
    const sink = (): never => {
      throw new QuarryError("SEARCH_FAILED", "sink");
    };
    await assert.rejects(run(engine, at, { ...query, pattern: query.multiline ? "x1\\nx" : "x" }, { sink }), /sink/);
  }
});

test("a program that vanishes between two calls", async () => {
  const at = await place();
  const binary = fakeRipgrep(
    `process.exit(require("node:child_process").spawnSync(${JSON.stringify(await rg())}, args, { stdio: "inherit" }).status)`,
  );
  const engine = new AutoEngine({ binary });
  const before = await run(engine, at, spanning);
  rmSync(binary);
  const after = await run(engine, at, spanning);
  assert.deepEqual(after.found, before.found);
  assert.deepEqual([before.report.answeredBy, after.report.answeredBy], ["ripgrep", "wasm"]);
});

async function rg(): Promise<string> {
  return (await import("@vscode/ripgrep")).rgPath;
}

function unable(name: SearchEngine["name"], detail: string): SearchEngine {
  return {
    name,
    status: () => Promise.resolve({ available: false, detail }),
    search: () => Promise.reject(new QuarryError("ENGINE_UNAVAILABLE", detail)),
  };
}

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { QuarryError } from "#src/errors/errors.js";
import type { FileHits, SearchEngine } from "#src/search/engine.js";
import { CASES } from "./cases.js";
import { ask, batchesOf, children, descriptors, makePlace, run } from "./place.js";

/** Of each of 40 files: the records of a batch are many times what a pipe holds. */
const MANY_LINES = 3_000;

/**
 * Registers what every engine has to do. An engine that differs somewhere says so by a skip with its reason, in its own test.
 * @param name shown in front of each test.
 * @param differs titles of what this engine does otherwise, each with the reason; its own tests say what it does instead.
 */
export function conformance(
  name: string,
  makeEngine: () => SearchEngine,
  differs: Readonly<Record<string, string>> = {},
): void {
  const engine = makeEngine();
  const it = (title: string, body: () => Promise<void>): void => {
    if (!Object.keys(differs).some((one) => title === one || title === `${one} (as a tree)`))
      test(`${name}: ${title}`, body);
  };

  for (const c of CASES) {
    for (const form of ["files", "tree"] as const) {
      it(`${c.name}${form === "tree" ? " (as a tree)" : ""}`, async () => {
        const place = await makePlace(c.tree);
        const { found, report } = await run(engine, place, ask(c.pattern, c.query), { tree: form === "tree" });
        assert.deepEqual(
          found.map(({ path, lines }) => [path, lines]),
          Object.entries(c.found).map(([path, lines]) => [path, lines]),
        );
        assert.equal(report.binary, c.binary ?? 0);
        assert.equal(report.incomplete, c.incomplete ?? null);
        assert.equal(report.filesSearched, place.files.length);
        assert.deepEqual(fs.existsSync(join(place.root, "pwned")), false);
      });
    }
  }

  it("status says that it can run", async () => {
    const status = await engine.status();
    assert.equal(status.available, true, status.detail);
  });

  it("fault-65: a match in a line of 20 MB is found at its column, in bounded memory", async () => {
    const place = await makePlace({
      "a.min.js": `${"a".repeat(12_000_000)}NEEDLE${"b".repeat(8_000_000)}\n`,
      b: "NEEDLE\n",
    });
    const seen: FileHits[] = [];
    await run(engine, place, ask("NEEDLE"), { sink: (file) => (seen.push(file), true) });
    assert.deepEqual(
      seen.map((f) => [f.path, f.hits[0]?.line, f.hits[0]?.column]),
      [
        ["a.min.js", 1, 12_000_000],
        ["b", 1, 0],
      ],
    );
    assert.ok((seen[0]?.hits[0]?.text.length ?? 0) < 100_000, "the line's text is cut");
  });

  it("fault-54: bounded repeats on a line of 5 MB end", async () => {
    const place = await makePlace({ f: `${"ab".repeat(2_500_000)}\n${"a".repeat(300)}X${"b".repeat(500)}\n` });
    const started = performance.now();
    const { found } = await run(engine, place, ask(".{0,400}X.{0,400}"));
    assert.deepEqual(
      found.map((f) => f.lines.map((line) => line.slice(0, 4))),
      [["2:0:"]],
    );
    assert.ok(performance.now() - started < 20_000);
  });

  it("many batches come in order, once each", async () => {
    const tree = Object.fromEntries(
      Array.from({ length: 600 }, (_, i) => [
        `d${i % 7}/f${String(i).padStart(4, "0")}`,
        i % 3 === 0 ? "x\nx\n" : "y\n",
      ]),
    );
    const place = await makePlace(tree);
    // 200 batches; of a shell's, which take as long as ten processes each, 20.
    const chunk = name.startsWith("bash") ? 30 : 3;
    const { found, report } = await run(engine, place, ask("x"), { chunk, parallel: 3 });
    assert.deepEqual(
      found.map((f) => f.path),
      place.files.filter((f) => tree[f] !== "y\n"),
    );
    assert.ok(found.every((f) => f.lines.length === 2));
    assert.equal(report.filesSearched, 600);
    assert.equal(report.incomplete, null);
  });

  it("fault-12: an invalid pattern is an error, with and without files", async () => {
    const place = await makePlace({ f: "x\n" });
    for (const files of [place.files, []]) {
      for (const pattern of ["(", "[a", "x{2", "*"]) {
        await assert.rejects(run(engine, place, ask(pattern), { files }), (error: unknown) => {
          assert.ok(error instanceof QuarryError, String(error));
          assert.equal(error.code, "INVALID_PATTERN");
          assert.ok(error.remedy.length > 0 && error.message.length > 20);
          return true;
        });
      }
    }
  });

  it("no file at all is an empty answer", async () => {
    const place = await makePlace({ f: "x\n" });
    const { found, report } = await run(engine, place, ask("x"), { files: [] });
    assert.deepEqual([found, report.filesSearched, report.incomplete], [[], 0, null]);
  });

  it("what is not handed on by the walker is not searched, also inside a folder that is given whole", async () => {
    const place = await makePlace({ a: "x\n", b: "x\n", "c/d": "x\n", e: "x\n" });
    const { found } = await run(engine, place, ask("x"), { files: ["a", "c/d"], tree: true });
    assert.deepEqual(
      found.map((f) => f.path),
      ["a", "c/d"],
    );
  });

  it("a file that vanished after the walk is unreadable, the others are searched", async () => {
    const place = await makePlace({ a: "x\n", b: "x\n", "c\nd": "x\n", e: "x\n" });
    fs.rmSync(join(place.root, "b"));
    fs.rmSync(join(place.root, "c\nd"));
    const { found, report } = await run(engine, place, ask("x"));
    assert.deepEqual(
      found.map((f) => f.path),
      ["a", "e"],
    );
    assert.deepEqual(
      report.unreadable.map((u) => u.path),
      ["b", "c\nd"],
    );
    assert.equal(report.incomplete, "unreadable");
    assert.equal(report.filesSearched, 2);
  });

  it("fault-60: a pipe that took a file's place after the walk does not hang it", async () => {
    const place = await makePlace({ a: "x\n", b: "x\n", c: "x\n" });
    fs.rmSync(join(place.root, "b"));
    execFileSync("mkfifo", [join(place.root, "b")]);
    const { found, report } = await run(engine, place, ask("x"), { signal: AbortSignal.timeout(15_000) });
    assert.deepEqual(
      found.map((f) => f.path),
      ["a", "c"],
    );
    assert.deepEqual(
      report.unreadable.map((u) => u.path),
      ["b"],
    );
    assert.equal(report.incomplete, "unreadable");
  });

  it("fault-09: a link that took a file's place leads nowhere", async () => {
    const outside = await makePlace({ secret: "x secret\n" });
    const place = await makePlace({ a: "x\n", b: "x\n" });
    fs.rmSync(join(place.root, "b"));
    fs.symlinkSync(join(outside.root, "secret"), join(place.root, "b"));
    const texts: string[] = [];
    const { Confirmer } = await import("#src/engines/confirm.js");
    const confirmer = new Confirmer({ context: 0, encoding: null });
    await run(engine, place, ask("x"), {
      sink: (file) => (texts.push(...confirmer.confirm(file).lines.map((l) => l.bytes.toString())), true),
    });
    confirmer.close();
    assert.deepEqual(texts, ["x"]);
  });

  const many = (): Promise<Awaited<ReturnType<typeof makePlace>>> =>
    makePlace(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, "some x here\n".repeat(MANY_LINES)])));

  it("fault-53: an abort before, at the start and in the middle leaves nothing alive", async () => {
    const place = await many();
    // What stays for the next search (threads that wait for work) is there from then on.
    await run(engine, place, ask("x"));
    const before = descriptors();
    for (const after of [-1, 0, 1, 5, 20]) {
      const abort = new AbortController();
      if (after < 0) abort.abort();
      let files = 0;
      const searching = run(engine, place, ask("x"), {
        chunk: 4,
        signal: abort.signal,
        sink: () => {
          files += 1;
          if (files === after) abort.abort();
          return true;
        },
      });
      if (after === 0) setTimeout(() => abort.abort(), 3);
      const { report } = await searching;
      assert.deepEqual(children(), []);
      if (after !== 0) assert.equal(report.incomplete, "cancelled");
      if (after > 0) assert.equal(files, after);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(descriptors() <= before, "no descriptor is left open");
  });

  it("fault-53: an abort while the walker is busy ends it at once", async () => {
    const place = await makePlace({ a: "x\n" });
    const abort = new AbortController();
    let release: () => void = () => undefined;
    const busy = new Promise<void>((resolve) => (release = resolve));
    async function* batches(): ReturnType<typeof batchesOf> {
      yield* batchesOf(place);
      await busy;
    }
    setTimeout(() => abort.abort(), 50);
    const report = await engine.search(
      { query: ask("x"), batches: batches(), parallel: 2, signal: abort.signal },
      () => true,
    );
    release();
    assert.equal(report.incomplete, "cancelled");
    assert.deepEqual(children(), []);
  });

  it("a sink that has enough ends it, and that is no incompleteness", async () => {
    const place = await many();
    const seen: string[] = [];
    const { report } = await run(engine, place, ask("x"), {
      chunk: 4,
      sink: async (file) => (seen.push(file.path), seen.length < 3),
    });
    assert.deepEqual(seen, place.files.slice(0, 3));
    assert.equal(report.incomplete, null);
    assert.deepEqual(children(), []);
  });

  it("an error of the sink ends it and is thrown on", async () => {
    const place = await many();
    for (const sink of [
      () => {
        throw new Error("mine");
      },
      () => Promise.reject(new Error("mine")),
    ]) {
      await assert.rejects(run(engine, place, ask("x"), { chunk: 4, sink }), /mine/);
      assert.deepEqual(children(), []);
    }
  });

  it("an error of the walker ends it and is thrown on", async () => {
    const place = await many();
    async function* failing(): ReturnType<typeof batchesOf> {
      yield* batchesOf(place, { files: place.files.slice(0, 8), chunk: 4 });
      throw new Error("walker");
    }
    await assert.rejects(
      engine.search(
        { query: ask("x"), batches: failing(), parallel: 2, signal: new AbortController().signal },
        () => true,
      ),
      /walker/,
    );
    assert.deepEqual(children(), []);
  });

  it("a slow sink holds the search back and loses nothing", async () => {
    const place = await many();
    let lines = 0;
    const { report } = await run(engine, place, ask("x"), {
      chunk: 4,
      sink: async (file) => {
        await new Promise((resolve) => setTimeout(resolve, 3));
        lines += file.hits.length;
        return true;
      },
    });
    assert.equal(lines, 40 * MANY_LINES);
    assert.equal(report.incomplete, null);
  });
}

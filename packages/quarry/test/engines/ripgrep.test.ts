import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { QuarryError } from "#src/errors/errors.js";
import { makeTree } from "../support/tree.js";
import { fakeRipgrep } from "./fake.js";
import { ask, children, makePlace, openPlace, run } from "./place.js";

const engine = new RipgrepEngine();

test("fault-64: RIPGREP_CONFIG_PATH and the rest of the environment have no effect", async () => {
  const place = await makePlace({ a: "x\n", "b.ts": "x\n" });
  const folder = makeTree({ pre: '#!/bin/sh\ntouch "$0.ran"\n', config: "--threads=4\n--max-count=0\n--glob=!*.ts\n" });
  fs.appendFileSync(join(folder, "config"), `--pre=${join(folder, "pre")}\n`);
  fs.chmodSync(join(folder, "pre"), 0o755);
  process.env["RIPGREP_CONFIG_PATH"] = join(folder, "config");
  try {
    const { found } = await run(engine, place, ask("x"));
    assert.deepEqual(
      found.map((f) => f.path),
      ["a", "b.ts"],
    );
    assert.equal(fs.existsSync(join(folder, "pre.ran")), false);
    const env = join(folder, "env");
    const spy = fakeRipgrep(`fs.writeFileSync(${JSON.stringify(env)}, JSON.stringify(process.env)); process.exit(1)`);
    await run(new RipgrepEngine({ binary: spy }), place, ask("x"));
    assert.deepEqual(Object.keys(JSON.parse(fs.readFileSync(env, "utf8")) as object), []);
  } finally {
    delete process.env["RIPGREP_CONFIG_PATH"];
  }
});

test("fault-07, fault-52: the pattern follows -e, places follow --, input is closed, no shell", async () => {
  const place = await makePlace({ "-v": "x\n", "a b": "x\n" });
  const seen = join(makeTree({}), "args");
  const spy = fakeRipgrep(
    `fs.writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ args, input: fs.readFileSync(0, "latin1"), cwd: fs.realpathSync(process.cwd()) })); process.exit(1)`,
  );
  await run(new RipgrepEngine({ binary: spy }), place, ask("--pre=/tmp/x.sh; touch pwned"));
  const { args, input, cwd } = JSON.parse(fs.readFileSync(seen, "utf8")) as {
    args: string[];
    input: string;
    cwd: string;
  };
  assert.deepEqual(args.slice(-5), ["-e", "--pre=/tmp/x.sh; touch pwned", "--", "./-v", "./a b"]);
  assert.ok(args.includes("--no-config"));
  assert.equal(input, "");
  assert.equal(cwd, place.root);
});

test("a mount's folder whose name is not UTF-8 can be searched", async () => {
  const outer = makeTree({ "r\udcff/a": "x\n" });
  // The command line gives such a folder as bytes; a mount made of it holds the escaped form.
  const place = await openPlace(outer, ["r\udcff/a"]);
  const { found } = await run(engine, place, ask("x"));
  assert.deepEqual(found, [{ path: "r\udcff/a", lines: ["1:0:x"] }]);
});

test("a folder that is replaced during the search is still the one that was opened", async () => {
  const place = await makePlace({ a: "x\n", b: "x\n" });
  const other = await makePlace({ a: "x other\n", b: "x other\n" });
  const moved = `${place.root}-moved`;
  let swapped = false;
  const texts: string[] = [];
  await run(engine, place, ask("x"), {
    chunk: 1,
    parallel: 1,
    sink: (file) => {
      texts.push(file.hits.map((h) => h.text.toString()).join());
      if (!swapped) {
        fs.renameSync(place.root, moved);
        fs.symlinkSync(other.root, place.root);
        swapped = true;
      }
      return true;
    },
  });
  fs.rmSync(place.root);
  fs.renameSync(moved, place.root);
  assert.deepEqual(texts, ["x", "x"]);
});

test("fault-13: files and folders without permission are counted, the others are searched", async () => {
  const place = await makePlace({
    a: "x\n",
    "c/d": "x\n",
    e: { text: "x\n", mode: 0 },
    "f\n": { text: "x\n", mode: 0 },
  });
  fs.chmodSync(place.root, 0o755);
  fs.chmodSync(join(place.root, "c"), 0);
  // Root may read everything: the rest is done as nobody, which also is a process whose /proc entries belong to root.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    const { found, report } = await run(engine, place, ask("x"));
    assert.deepEqual(
      found.map((f) => f.path),
      ["a"],
    );
    assert.deepEqual(
      report.unreadable.map((u) => u.path),
      ["c/d", "e", "f\n"],
    );
    assert.equal(report.incomplete, "unreadable");
    assert.equal(report.filesSearched, 1);
  } finally {
    if (isRoot) process.seteuid?.(0);
    fs.chmodSync(join(place.root, "c"), 0o755);
  }
});

test("fault-13: complaints about single places are mapped to files, whatever their names hold", async () => {
  const place = await makePlace({ "a: b": "x\n", "n\udcff": "x\n", "d/e": "x\n", "d/f": "x\n", ok: "x\n" });
  const denied = "Permission denied (os error 13)";
  const body = `for (const p of ["./a: b", "./d"]) fs.writeSync(2, "rg: " + p + ": ${denied}\\n");\nout("./ok\\0" + "1:1:0:x\\n"); process.exit(2)`;
  const { found, report } = await run(new RipgrepEngine({ binary: fakeRipgrep(body) }), place, ask("x"));
  assert.deepEqual(
    found.map((f) => f.path),
    ["ok"],
  );
  assert.deepEqual(
    report.unreadable.map((u) => u.path),
    ["a: b", "d/e", "d/f"],
  );
  assert.equal(report.incomplete, "unreadable");
  assert.equal(report.filesSearched, 2);
});

test("a complaint about a file that was not asked for is not taken for one of ours", async () => {
  const place = await makePlace({ a: "x\n" });
  const body = `fs.writeSync(2, "rg: ./zzz: Permission denied (os error 13)\\n"); process.exit(2)`;
  const { report } = await run(new RipgrepEngine({ binary: fakeRipgrep(body) }), place, ask("x"));
  assert.equal(report.incomplete, "engine");
  const tree = await run(new RipgrepEngine({ binary: fakeRipgrep(body) }), place, ask("x"), { tree: true });
  assert.equal(tree.report.incomplete, null);
});

test("an encoding that does not exist is an argument error", async () => {
  const place = await makePlace({ a: "x\n" });
  await assert.rejects(
    engine.search(
      {
        query: ask("x", { encoding: "klingon" }),
        batches: (async function* () {
          yield { target: place.target, files: ["a"], trees: [] };
        })(),
        parallel: 1,
        signal: new AbortController().signal,
      },
      () => true,
    ),
    (e: unknown) => e instanceof QuarryError && e.code === "INVALID_ARGUMENT" && e.details.argument === "encoding",
  );
});

test("PCRE2 where the configuration allows it: look-around works, a runaway match is told", async () => {
  const place = await makePlace({ a: "foobar\nfoobaz\n", b: `${"a".repeat(4_000)}\n`, c: "foobaz\n" });
  const { found } = await run(engine, place, ask("foo(?!bar)", { pcre2: true }));
  assert.deepEqual(found, [
    { path: "a", lines: ["2:0:foobaz"] },
    { path: "c", lines: ["1:0:foobaz"] },
  ]);
  const { report } = await run(engine, place, ask("(a+)+$(?<=b)", { pcre2: true }));
  assert.equal(report.incomplete, "engine");
  assert.match(report.reason ?? "", /limit/);
  await assert.rejects(
    run(engine, place, ask("(", { pcre2: true })),
    (e: unknown) => e instanceof QuarryError && e.code === "INVALID_PATTERN",
  );
});

test("many names that cannot be arguments", async () => {
  const tree = Object.fromEntries(
    Array.from({ length: 160 }, (_, i) => [`f${String(i).padStart(3, "0")}${i % 2 === 0 ? "\n" : "\udcfe"}`, "x\n"]),
  );
  const place = await makePlace(tree);
  const { found, report } = await run(engine, place, ask("x"));
  assert.deepEqual(
    found.map((f) => f.path),
    place.files,
  );
  assert.equal(report.filesSearched, 160);
});

test("more names than one command line takes", async () => {
  const long = "n".repeat(200);
  const tree = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, i) => [
      `${long}/${long}/${long}/${String(i).padStart(5, "0")}${long.slice(0, 40)}`,
      i % 500 === 0 ? "x\n" : "",
    ]),
  );
  const place = await makePlace(tree);
  const { found, report } = await run(engine, place, ask("x"), { chunk: 100_000 });
  assert.equal(found.length, 5);
  assert.equal(report.filesSearched, 2_500);
});

test("fault-65: 60 MB in one line, with ten million matches, is answered in bounded memory", async () => {
  const place = await makePlace({ a: "no\n", b: "ab cX ".repeat(10_000_000), c: "X\n" });
  const peak = watchMemory();
  const { found, report } = await run(engine, place, ask("X"));
  const megabytes = peak();
  assert.deepEqual(
    found.map((f) => [f.path, f.lines.map((l) => l.slice(0, 4))]),
    [
      ["b", ["1:4:"]],
      ["c", ["1:0:"]],
    ],
  );
  assert.equal(report.incomplete, null);
  assert.ok(megabytes < 300, `${megabytes} MB in the child`);
  assert.deepEqual(children(), []);
});

test("fault-65: the first match far into a line that is searched without columns", async () => {
  const place = await makePlace({ b: `${"a".repeat(40_000_000)}Y${"ab cX ".repeat(8_000_000)}` });
  const { found } = await run(engine, place, ask("X|Y"));
  assert.equal(found[0]?.lines[0]?.slice(0, 11), "1:40000000:");
});

test("fault-55: across lines, files that ripgrep would have to take whole into memory are bounded and told", async () => {
  const place = await makePlace({ a: "x\ny\n", b: "static int foo(void)\n".repeat(6_000_000), c: "x\ny\n" });
  const peak = watchMemory();
  const { found, report } = await run(engine, place, ask("x\\ny", { multiline: true }));
  assert.ok(found.some((f) => f.path === "a") && found.some((f) => f.path === "c"));
  assert.ok(peak() < 480);
  assert.ok(report.incomplete === null || /memory/.test(report.reason ?? ""));
});

test("fault-55: one match over many MB is told, not shown", async () => {
  const place = await makePlace({ a: "x\ny\n", b: "abc def\n".repeat(4_000_000) });
  const { found, report } = await run(engine, place, ask("(?s)a.*f|x", { multiline: true }));
  assert.deepEqual(
    found.map((f) => f.path),
    ["a"],
  );
  assert.equal(report.incomplete, "engine");
  assert.match(report.reason ?? "", /16 MiB/);
});

/** Peak memory in MB of this process's children from now on. */
function watchMemory(): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    for (const pid of children()) {
      try {
        peak = Math.max(peak, (Number(fs.readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4_096) / 1e6);
      } catch {
        // ended meanwhile
      }
    }
  }, 20);
  return () => {
    clearInterval(timer);
    return Math.round(peak);
  };
}

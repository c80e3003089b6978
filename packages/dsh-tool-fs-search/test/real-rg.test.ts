import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { agentIn, BASE, BASH, folder, loadRows, search, textOf } from "./support/harness.js";
import { inPath, program, RIPGREPS } from "./support/rg.js";

/** Files by path, each with its text; `aged` sets the modification time in seconds. */
function tree(files: Readonly<Record<string, string | Buffer>>, aged: Readonly<Record<string, number>> = {}): string {
  const root = folder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const [path, seconds] of Object.entries(aged)) utimesSync(join(root, path), seconds, seconds);
  return root;
}

for (const rg of RIPGREPS) {
  test(`[A-035] ripgrep ${rg.version}: hidden and ignored files are listed, version control folders never`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    const files: Record<string, string> = {
      ".gitignore": "out/\n",
      "out/a": "",
      ".hidden/b": "",
      "deep/x/.hg/c": "",
      "deep/x/d": "",
    };
    for (const vcs of [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"]) files[`${vcs}/config`] = "";
    const agent = agentIn(tree(files));
    for (const pattern of ["*", "**", "**/*"]) {
      assert.deepEqual(
        (await harness.text("glob", { pattern }, { agent })).split("\n").sort(),
        [".gitignore", ".hidden/b", "deep/x/d", "out/a"],
        pattern,
      );
    }
    // The exclusions come last: a pattern that names such a folder does not lift them.
    assert.equal(await harness.text("glob", { pattern: "**/.git/**" }, { agent }), "No files found");
    assert.equal(await harness.text("glob", { pattern: "config" }, { agent }), "No files found");
  });

  test(`[A-036] ripgrep ${rg.version}: oldest first across folders, files of equal age by path`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    const aged = {
      "b/1": 100,
      "a/2": 200,
      "5": 250,
      "b/3": 300,
      "a/4": 400,
      "same/z": 500,
      "same/a": 500,
      "a.b": 500,
      "a/b": 500,
      old: 50,
      new: 4e9,
    };
    const cwd = tree(Object.fromEntries(Object.keys(aged).map((path) => [path, ""])), aged);
    const expected = ["old", "b/1", "a/2", "5", "b/3", "a/4", "a/b", "a.b", "same/a", "same/z", "new"].join("\n");
    assert.equal(await harness.text("glob", { pattern: "*" }, { agent: agentIn(cwd) }), expected);
  });

  test(`[A-038][A-037] ripgrep ${rg.version}: grep leaves hidden and ignored files out, include narrows`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    const cwd = tree({
      ".ignore": "out\n",
      "out/a.ts": "hit",
      ".hidden.ts": "hit",
      "b.ts": "hit",
      "c.js": "hit",
      "d/e.ts": "hit",
    });
    const agent = agentIn(cwd);
    assert.equal(
      await harness.text("grep", { pattern: "h.t" }, { agent }),
      "Found 3 matches\n\nb.ts\nLine 1: hit\n\nc.js\nLine 1: hit\n\nd/e.ts\nLine 1: hit",
    );
    assert.equal(
      await harness.text("grep", { pattern: "hit", include: "*.js" }, { agent }),
      "Found 1 match\n\nc.js\nLine 1: hit",
    );
    assert.equal(
      await harness.text("grep", { pattern: "hit", path: "d", include: "*.ts" }, { agent }),
      "Found 1 match\n\nd/e.ts\nLine 1: hit",
    );
  });

  test(`[A-050][A-053] ripgrep ${rg.version}: what it does not take is SEARCH_INVALID_PATTERN with its reason`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    const agent = agentIn(tree({ a: "x" }));
    for (const [name, args, message] of [
      ["grep", { pattern: "(" }, /unclosed group/],
      ["grep", { pattern: "a(?=b)" }, /look-around.*not supported \(this tool has no option for it/s],
      ["grep", { pattern: "a\\nb" }, /not allowed in a regex \(this tool has no option for it/],
      ["grep", { pattern: "a\nb" }, /not allowed in a regex/],
      ["grep", { pattern: "x{1000000000}" }, /size limit|repetition/i],
      ["grep", { pattern: "x", include: "{a" }, /unclosed alternate group/],
      ["glob", { pattern: "[z-a]" }, /invalid range/],
    ] as const) {
      const result = await harness.call(name, args, { agent });
      assert.equal(result.isError && result.error.info?.code, "SEARCH_INVALID_PATTERN", textOf(result));
      assert.match(textOf(result), message);
      assert.doesNotMatch(textOf(result), /--multiline|--pcre2/);
    }
  });

  test(`[A-050][A-067] ripgrep ${rg.version}: a path or folder that is not there is an error`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    const cwd = tree({ a: "x" });
    for (const name of ["glob", "grep"]) {
      const missing = await harness.call(name, { pattern: "x", path: "gone" }, { agent: agentIn(cwd) });
      assert.equal(missing.isError && missing.error.info?.code, "SEARCH_FAILED");
      assert.match(
        textOf(missing),
        new RegExp(`${name} cannot search "gone": it does not exist in the working directory`),
      );
      const nowhere = await harness.call(name, { pattern: "x" }, { agent: agentIn(join(cwd, "gone")) });
      assert.equal(nowhere.isError && nowhere.error.info?.code, "SEARCH_FAILED");
      assert.match(textOf(nowhere), /could not start its command/);
    }
  });

  test(`[A-047][A-048][A-041] ripgrep ${rg.version}: matches, none, and bytes that are not UTF-8`, async (t) => {
    inPath(t, rg.folder);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    const cwd = tree({ "a.txt": Buffer.from("na\xefve hit\r\n", "latin1"), "b.txt": "no\n" });
    execFileSync("bash", ["-c", `printf hit > "$1"/$'caf\\xe9'`, "-", cwd]);
    const agent = agentIn(cwd);
    assert.equal(
      await harness.text("grep", { pattern: "hit" }, { agent }),
      "Found 2 matches\n\na.txt\nLine 1: na\ufffdve hit\n\ncaf\ufffd\nLine 1: hit\n\n(2 results hold bytes that are not UTF-8, shown as \ufffd)",
    );
    assert.equal(
      await harness.text("glob", { pattern: "caf*" }, { agent }),
      "caf\ufffd\n\n(1 result holds bytes that are not UTF-8, shown as \ufffd)",
    );
    assert.equal(await harness.text("grep", { pattern: "absent" }, { agent }), "No matches found");
    assert.equal(await harness.text("glob", { pattern: "absent" }, { agent }), "No files found");
  });

  test(`[A-042] fault-64: ripgrep ${rg.version}: a configuration file on the host has no effect and runs nothing`, async (t) => {
    inPath(t, rg.folder);
    const cwd = tree({ "a.txt": "hit\n" });
    const config = join(folder(), "ripgreprc");
    const bin = program("pre", `touch "${config}.ran"; cat`);
    writeFileSync(config, `--pre=${bin}/pre\n--ignore-case\n--max-count=0\n--glob=!*.txt\n`);
    process.env["RIPGREP_CONFIG_PATH"] = config;
    t.after(() => delete process.env["RIPGREP_CONFIG_PATH"]);
    const harness = await loadRows(t, [...BASE, BASH, search()]);
    assert.equal(
      await harness.text("grep", { pattern: "hit" }, { agent: agentIn(cwd) }),
      "Found 1 match\n\na.txt\nLine 1: hit",
    );
    assert.equal(await harness.text("grep", { pattern: "HIT" }, { agent: agentIn(cwd) }), "No matches found");
    assert.equal(await harness.text("glob", { pattern: "*" }, { agent: agentIn(cwd) }), "a.txt");
    assert.deepEqual(readdirSync(dirname(config)), ["ripgreprc"]);
  });

  test(`[A-091][A-036] ripgrep ${rg.version}: the same question gives the same page in twenty runs`, async (t) => {
    inPath(t, rg.folder);
    const files: Record<string, string> = {};
    for (let i = 0; i < 300; i++) files[`d${i % 7}/e${i % 13}/f${i}`] = `hit ${i}\n`.repeat(1 + (i % 3));
    const cwd = tree(files);
    execFileSync("bash", ["-c", "find . -exec touch -d @1000000000 {} +"], { cwd });
    const harness = await loadRows(t, [...BASE, BASH, search({ grepMaxMatches: 40, globMaxResults: 40 })]);
    for (const name of ["glob", "grep"]) {
      const args = { pattern: name === "glob" ? "f*" : "hit" };
      const pages = new Set<string>();
      for (let i = 0; i < 20; i++) pages.add(await harness.text(name, args, { agent: agentIn(cwd) }));
      assert.equal(pages.size, 1, name);
    }
  });

  test(
    `[A-049][A-092] fault-13: ripgrep ${rg.version}: what cannot be read is counted, the rest is found`,
    { skip: process.platform !== "linux" && "needs Linux" },
    async (t) => {
      // As root everything can be read: the search then runs as another user.
      const bin = program(
        "rg",
        process.getuid?.() === 0
          ? `exec runuser -u nobody -- "${copyForAll(rg.folder)}" "$@"`
          : `exec "${rg.folder}/rg" "$@"`,
      );
      inPath(t, bin);
      const cwd = tree({ "a.txt": "hit\n", "locked/b.txt": "hit\n", "c.txt": "hit\n" });
      chmodSync(cwd, 0o755);
      chmodSync(join(cwd, "locked"), 0);
      chmodSync(join(cwd, "c.txt"), 0);
      symlinkSync("nowhere", join(cwd, "dangling"));
      t.after(() => chmodSync(join(cwd, "locked"), 0o755));
      const harness = await loadRows(t, [...BASE, BASH, search()]);
      const agent = agentIn(cwd);
      assert.equal(
        await harness.text("grep", { pattern: "hit" }, { agent }),
        "Found 1 match\n\na.txt\nLine 1: hit\n\n(2 paths could not be read, so there may be more)",
      );
      assert.match(
        await harness.text("glob", { pattern: "*.txt" }, { agent }),
        /^(?:[ac]\.txt\n){2}\n\(1 path could not be read, so there may be more\)$/,
      );
      const none = await harness.call("grep", { pattern: "absent" }, { agent });
      assert.equal(none.isError && none.error.info?.code, "SEARCH_FAILED");
      assert.match(textOf(none), /could not search everything and found nothing.*Permission denied/s);
    },
  );
}

/** A copy of this ripgrep that every user may run. */
function copyForAll(from: string): string {
  const bin = folder();
  chmodSync(bin, 0o755);
  execFileSync("cp", [join(from, "rg"), bin]);
  return join(bin, "rg");
}

test("[A-054] ripgrep that goes away after it was found is SEARCH_FAILED and says so", async (t) => {
  const bin = program("rg", "exit 1");
  const before = process.env["PATH"];
  t.after(() => {
    process.env["PATH"] = before;
  });
  const clean = folder();
  for (const name of ["bash", "cat", "stat", "xargs"])
    symlinkSync(execFileSync("bash", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(), join(clean, name));
  process.env["PATH"] = `${bin}:${clean}`;
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  assert.deepEqual(harness.toolNames(), ["glob", "grep"]);
  rmSync(bin, { recursive: true });
  for (const name of ["glob", "grep"]) {
    const result = await harness.call(name, { pattern: "x" }, { agent: agentIn(folder()) });
    assert.equal(result.isError && result.error.info?.code, "SEARCH_FAILED");
    assert.match(textOf(result), /ripgrep \(rg\) was there when this tool was registered.*not found/s);
  }
});

test("[A-036] where the system has no GNU stat, ripgrep's own order stays", async (t) => {
  inPath(t, RIPGREPS[0]?.folder ?? "");
  inPath(t, program("stat", "exit 1"));
  const cwd = tree({ b: "", a: "", c: "" }, { b: 100, a: 200, c: 300 });
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  assert.equal(await harness.text("glob", { pattern: "*" }, { agent: agentIn(cwd) }), "b\na\nc");
});

test("[A-033][A-034][A-076] each session searches its own folder; paths outside it are shown whole", async (t) => {
  const harness = await loadRows(t, [...BASE, { ...BASH, config: { cwd: tree({ "own.txt": "hit\n" }) } }, search()]);
  const one = tree({ "one.txt": "hit\n", "sub/two.txt": "hit\n" });
  const other = tree({ "other.txt": "hit\n" });
  const found = (path: string): string => `Found 1 match\n\n${path}\nLine 1: hit`;
  assert.equal(await harness.text("grep", { pattern: "hit" }, { agent: agentIn(undefined) }), found("own.txt"));
  assert.equal(await harness.text("grep", { pattern: "hit" }, { agent: agentIn(other) }), found("other.txt"));
  assert.equal(
    await harness.text("grep", { pattern: "hit", path: join(one, "sub") }, { agent: agentIn(one) }),
    found("sub/two.txt"),
  );
  assert.equal(
    await harness.text("grep", { pattern: "hit", path: other }, { agent: agentIn(one) }),
    found(join(other, "other.txt")),
  );
  assert.equal(
    await harness.text("glob", { pattern: "*", path: `${one}-not` }, { agent: agentIn(one) }).catch(String),
    await harness.text("glob", { pattern: "*", path: `${one}-not` }, { agent: agentIn(one) }),
  );
  assert.equal(
    await harness.text("glob", { pattern: "*", path: "../" + other.split("/").at(-1) }, { agent: agentIn(one) }),
    `../${other.split("/").at(-1)}/other.txt`,
  );
});

test("[A-077] one trailing line says that a slash in a glob counts from the working directory", async (t) => {
  const harness = await loadRows(t, [...BASE, BASH, search()]);
  const agent = agentIn(tree({ "pkg/src/a.ts": "hit\n" }));
  assert.equal(
    await harness.text("glob", { pattern: "src/*.ts", path: "pkg" }, { agent }),
    'No files found\n\n(a "/" in pattern counts from the working directory, not from path)',
  );
  assert.equal(await harness.text("glob", { pattern: "pkg/src/*.ts", path: "pkg" }, { agent }), "pkg/src/a.ts");
  assert.equal(
    await harness.text("grep", { pattern: "hit", path: "pkg", include: "src/*.ts" }, { agent }),
    'No matches found\n\n(a "/" in include counts from the working directory, not from path)',
  );
});

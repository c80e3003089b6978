import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  mkdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { DEFAULT_SETTINGS } from "#src/config/settings.js";
import { clearArtifacts, listArtifacts, LocalSpillStore } from "#src/spill/local.js";
import type { SpillOutcome, SpillStore } from "#src/spill/store.js";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "quarry-spill-"));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const open = (owner = "me", limits = {}): LocalSpillStore =>
  LocalSpillStore.open(base, owner, { ...DEFAULT_SETTINGS, ...limits });

function save(store: SpillStore, ...chunks: string[]): SpillOutcome {
  const writer = store.create();
  for (const chunk of chunks) writer.write(chunk);
  return writer.finish();
}

function locatorOf(outcome: SpillOutcome): string {
  assert.ok(outcome.saved, JSON.stringify(outcome));
  return outcome.artifact.locator;
}

/** Where a locator's bytes lie on disk. */
function fileOf(store: LocalSpillStore, outcome: SpillOutcome): string {
  return join(store.folder, locatorOf(outcome).slice("@artifacts/".length));
}

test("an artifact holds what was written, closed to others, its lines and bytes counted", () => {
  const store = open();
  const outcome = save(store, "a\n", "é\n".repeat(200_000), "z\n");
  assert.ok(outcome.saved);
  assert.equal(readFileSync(fileOf(store, outcome), "utf8"), `a\n${"é\n".repeat(200_000)}z\n`);
  assert.equal(outcome.artifact.lines, 200_002);
  assert.equal(outcome.artifact.bytes, 600_004);
  assert.equal(statSync(fileOf(store, outcome)).mode & 0o777, 0o600);
  assert.equal(statSync(store.folder).mode & 0o777, 0o700);
  assert.equal(statSync(base).mode & 0o777, 0o700);
  assert.match(outcome.artifact.locator, /^@artifacts\/[0-9a-f]{16}\.txt$/);
});

test("the same owner and content has the same locator in another process's store, another owner or content another", () => {
  const one = locatorOf(save(open("me"), "x\n"));
  assert.equal(locatorOf(save(open("me"), "x", "\n")), one);
  assert.notEqual(locatorOf(save(open("you"), "x\n")), one);
  assert.notEqual(locatorOf(save(open("me"), "y\n")), one);
  assert.notEqual(open("me").folder, open("you").folder);
});

test("names depend on a secret: another cache gives others", () => {
  const here = locatorOf(save(open("me"), "x\n"));
  rmSync(base, { recursive: true });
  mkdirSync(base);
  assert.notEqual(locatorOf(save(open("me"), "x\n")), here);
});

test("a discarded artifact leaves nothing", () => {
  const store = open();
  const writer = store.create();
  writer.write("x\n");
  writer.discard();
  assert.deepEqual(readdirSync(store.folder), []);
});

test("too large: not saved, said, nothing left", () => {
  const store = open("me", { artifactBytes: 1_000 });
  const outcome = save(store, "x".repeat(2_000));
  assert.ok(!outcome.saved);
  assert.match(outcome.reason, /larger than artifactBytes/);
  assert.deepEqual(readdirSync(store.folder), []);
});

test("old ones and the oldest above the total go at the next save; the newest stays", () => {
  const store = open("me", { artifactTotalBytes: 2_500 });
  const first = fileOf(store, save(store, "1".repeat(1_000)));
  const second = fileOf(store, save(store, "2".repeat(1_000)));
  utimesSync(first, 1_000, Date.now() / 1000 - 20);
  utimesSync(second, 1_000, Date.now() / 1000 - 10);
  const third = fileOf(store, save(store, "3".repeat(1_000)));
  assert.deepEqual(
    listArtifacts(join(base, "artifacts"))
      .map((a) => a.path)
      .sort(),
    [second, third].sort(),
  );
  utimesSync(second, 1_000, Date.now() / 1000 - 8 * 86_400);
  save(store, "4".repeat(10));
  assert.ok(!listArtifacts(join(base, "artifacts")).some((a) => a.path === second));
  // Within one millisecond, too.
  for (let i = 0; i < 20; i++) {
    save(store, "4".repeat(10 + i));
    const large = save(store, "5".repeat(5_000 + i));
    assert.deepEqual(
      listArtifacts(join(base, "artifacts")).map((a) => a.path),
      [fileOf(store, large)],
    );
  }
});

test("a temporary file of a dead process goes after an hour, a living one stays", () => {
  const store = open();
  const living = store.create();
  living.write("x\n");
  const dead = join(store.folder, ".00ff.tmp");
  writeFileSync(dead, "left");
  utimesSync(dead, 1_000, Date.now() / 1000 - 7_200);
  save(store, "y\n");
  assert.ok(!readdirSync(store.folder).includes(".00ff.tmp"));
  assert.ok(living.finish().saved);
});

test("a cache folder that is a link, or that vanishes between two saves, never throws", () => {
  const target = mkdtempSync(join(tmpdir(), "quarry-spill-elsewhere-"));
  const link = join(base, "link");
  symlinkSync(target, link);
  assert.throws(() => LocalSpillStore.open(link, "me", DEFAULT_SETTINGS), /not a folder/);
  rmSync(target, { recursive: true });

  const store = open();
  const writer = store.create();
  writer.write("x".repeat(300_000));
  rmSync(base, { recursive: true });
  writer.write("y".repeat(300_000));
  const outcome = writer.finish();
  assert.ok(!outcome.saved);
  assert.match(outcome.reason, /gone/);
  assert.doesNotMatch(outcome.reason, /\//);
});

test("a folder open to others is closed again", () => {
  chmodSync(base, 0o777);
  open();
  assert.equal(statSync(base).mode & 0o777, 0o700);
});

test("twenty processes that start at once share one key", () => {
  const script = `
    import { LocalSpillStore } from ${JSON.stringify(import.meta.resolve("#src/spill/local.js"))};
    const writer = LocalSpillStore.open(process.argv[1], "me", { artifactBytes: 1e9, artifactTotalBytes: 1e9, artifactDays: 1 }).create();
    writer.write("same\\n");
    console.log(JSON.stringify(writer.finish()));`;
  const shell = `for i in $(seq 20); do node --input-type=module -e "$1" "$2" & done; wait`;
  const out = execFileSync("bash", ["-c", shell, "bash", script, base], { encoding: "utf8" });
  const locators = out
    .trim()
    .split("\n")
    .map((line) => locatorOf(JSON.parse(line) as SpillOutcome));
  assert.equal(locators.length, 20);
  assert.equal(new Set(locators).size, 1);
});

test("clear removes every artifact and says how much", () => {
  save(open("me"), "12345\n");
  save(open("you"), "123\n");
  assert.deepEqual(clearArtifacts(base), { files: 2, bytes: 10 });
  assert.deepEqual(listArtifacts(join(base, "artifacts")), []);
});

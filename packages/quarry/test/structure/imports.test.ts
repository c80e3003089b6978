import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOM_OF_FILE, ROOMS, type Room } from "./rooms.js";
import { findCycle, importsOf, REPOSITORY, repositoryFiles, resolveImport, textOf } from "./sources.js";

const SRC = "packages/quarry/src/";
/** What sources may name outside `src/`: it is published with the build, at the same distance. */
const OUTSIDE = ["packages/quarry/package.json", "packages/quarry/bin/quarry.js"];
const sources = repositoryFiles().filter((file) => file.startsWith(SRC) && file.endsWith(".ts"));
const graph = new Map(
  sources.map((file) => [
    file,
    importsOf(textOf(file))
      .map((specifier) => resolveImport(file, specifier))
      .filter((target) => target !== null),
  ]),
);

/** The room of a file, or null where the table does not know its folder. */
function roomOf(file: string): Room | null {
  const path = file.slice(SRC.length);
  for (const [prefix, room] of Object.entries(ROOM_OF_FILE)) {
    if (path === prefix || (prefix.endsWith("/") && path.startsWith(prefix))) return room;
  }
  const folder = path.split("/", 1)[0];
  return ROOMS.find((room) => room === folder) ?? null;
}

test("every source belongs to a room of the table", () => {
  assert.ok(sources.length > 0, "sources were found");
  assert.deepEqual(
    sources.filter((file) => roomOf(file) === null),
    [],
  );
});

test("imports name files that exist and are published", () => {
  const wrong = [...graph].flatMap(([file, targets]) =>
    targets
      .filter(
        (target) => !(target.startsWith(SRC) || OUTSIDE.includes(target)) || !existsSync(join(REPOSITORY, target)),
      )
      .map((target) => `${file} -> ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("imports run one way, in the order of the rooms", () => {
  const rank = (file: string): number => ROOMS.indexOf(roomOf(file) ?? "errors");
  const back = [...graph].flatMap(([file, targets]) =>
    targets
      .filter((target) => target.startsWith(SRC) && rank(target) > rank(file))
      .map((target) => `${file} (${roomOf(file)}) -> ${target} (${roomOf(target)})`),
  );
  assert.deepEqual(back, []);
});

test("no file imports itself by a detour", () => {
  assert.equal(findCycle(graph), null);
});

test("the reader sees every form of import", () => {
  const text = [
    'import { a } from "./a.js";',
    'import type { B } from "../b/b.js";',
    'import "./side.js";',
    'export * from "./star.js";',
    "export {\n  c,\n  d,\n} from './many.js';",
    'const e = await import("./late.js");',
    'new Worker(new URL("./worker.js", import.meta.url));',
    '// import "./not.js";',
    '/* import "./neither.js"; */',
  ].join("\n");
  assert.deepEqual(importsOf(text).sort(), [
    "../b/b.js",
    "./a.js",
    "./late.js",
    "./many.js",
    "./side.js",
    "./star.js",
    "./worker.js",
  ]);
});

test("the reader of cycles finds one of three files and none in a diamond", () => {
  assert.deepEqual(
    findCycle(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["b"]],
      ]),
    ),
    ["b", "c", "b"],
  );
  assert.equal(
    findCycle(
      new Map([
        ["a", ["b", "c"]],
        ["b", ["d"]],
        ["c", ["d"]],
        ["d", []],
      ]),
    ),
    null,
  );
});

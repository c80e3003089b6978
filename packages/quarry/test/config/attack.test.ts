/**
 * Generated attacks on a configuration with everything in it, over every tool of every profile and every engine, writing included
 * and with links exchanged meanwhile: nothing outside is read, listed, counted or written, and no output holds a host path.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { EngineChoice } from "#src/tools/registry.js";
import type { Tool } from "#src/tools/tool.js";
import { attackPath } from "../support/attack-paths.js";
import { makeAttackedSite, NAMES, SECRET, SECRET_NAME, VIRTUAL } from "../support/attack-site.js";
import { FULL, generatedRuns } from "../support/cases.js";

const place = makeAttackedSite();
const { site, root } = place;

const path = attackPath({ site, root, names: NAMES, virtual: VIRTUAL });
// Patterns that would match a secret if it were searched, and none that shows it by repeating the question.
const pattern = fc.constantFrom(
  "TOP-SECRET",
  "SECRET.CONTENT",
  "TOP.*",
  ".",
  "",
  "^",
  "TOP-SECRET|fine",
  "--pre=/bin/cat",
  "-f/etc/passwd",
  "(",
  "fine",
);
const text = fc.constantFrom("fine\n", "", "$& $`", "x".repeat(3_000), "\0", "\ud800");
const attack = fc.record({ path, other: path, pattern, text });
type Attack = typeof attack extends fc.Arbitrary<infer A> ? A : never;

/** What does not depend on luck: a file and folders that may be seen, and one of each that may not. */
const PLAIN = [
  ["/mnt/docs/ok.txt", "*.txt"],
  ["/mnt/docs", "**"],
  ["/mnt/docs/swap", "*"],
  ["/mnt/docs/denied", "denied/**"],
  ["/mnt/skills/public/foo", "public/**"],
  ["/mnt/docs/../../etc/passwd", "../**"],
  ["/mnt/docs/none", "none"],
].map(([path = "", other = ""]) => [{ path, other, pattern: "TOP-SECRET|fine", text: "fine\n" }] as [Attack]);

/** Every way in which a tool takes a path. */
function callsOf(tool: Tool, { path, other, pattern, text }: Attack): readonly Record<string, unknown>[] {
  const [profile] = tool.title.split(" ");
  switch (tool.kind) {
    case "read_file":
      return [{ path }];
    case "ls":
      return profile === "0" ? [{ path, depth: 3 }] : [{ path }];
    case "glob":
      return profile === "2"
        ? [{ pattern: "**", path }, { pattern: path }]
        : [
            { pattern: "**", path, include_dirs: true },
            { pattern: other, path },
            { pattern: path, path: "/mnt" },
          ];
    case "grep":
      if (profile === "2")
        return [
          { pattern, path },
          { pattern, path: "/mnt/docs", include: path },
        ];
      if (profile === "1")
        return [
          { pattern, path, max_results: 500 },
          { pattern, path: "/mnt", glob: other },
        ];
      return [
        { pattern, path, context: 2, include_ignored: true },
        { pattern, path: [path, other], output: "files" },
        { pattern, path: "/mnt", glob: path, exclude: other, output: "count" },
      ];
    case "str_replace":
      return [{ path, old_str: "fine", new_str: text }];
    case "multi_edit":
      return [{ path, edits: [{ old_str: "TOP-SECRET", new_str: text, replace_all: true }] }];
    case "write_file":
      return profile === "0" ? [{ path, content: text, create_dirs: true }] : [{ path, content: text, append: true }];
  }
}

function fair(tool: Tool, one: Attack, args: Record<string, unknown>, text: string): void {
  // A tool may have made a file below a mount whose own path reads like a host path: that is where it is, and its path may hold white space.
  const virtual = [one.path, one.other].filter((given) => /^\/?mnt\//.test(given));
  const repeated = virtual.reduce((rest, given) => rest.replaceAll(given, ""), text);
  const said = repeated.replace(/\bmnt\/[^\s"]*/g, (shown) => shown.replaceAll(site, ""));
  const what = `${tool.title} ${JSON.stringify(args)}\n${said.slice(0, 2_000)}`;
  assert.ok(!said.includes(SECRET) && !/TOP-SECRET-CON|root:.*:0:0:/.test(said), `shows what lies outside: ${what}`);
  const asked = [one.path, one.other];
  if (!asked.some((given) => given.includes(site) || given.includes(encodeURI(site)) || given.includes(site.slice(1))))
    assert.ok(!said.includes(site) && !said.includes(site.slice(1)), `shows a host path: ${what}`);
  assert.ok(!said.includes(`${root}/`) && !said.includes(`${root}"`), `shows the host path of a root: ${what}`);
  // A name that was not asked for was listed.
  const hidden = asked.some((given) => /zq-hidden|%7a%71|x7a|ｚ|[*?[{]/i.test(given)) ? "" : SECRET_NAME;
  if (hidden !== "") assert.ok(!said.includes(hidden), `lists what lies outside: ${what}`);
}

const ENGINES: readonly EngineChoice[] = FULL ? ["auto", "ripgrep", "kernel", "wasm"] : ["auto"];
for (const engine of ENGINES) {
  test(`fault-09: attacks on every tool over the engine ${engine}`, { timeout: 3_600_000 }, async (t) => {
    const { numRuns, seed } = generatedRuns(t, 40, 2_000);
    const all = await place.tools(engine);
    assert.equal(all.length, engine === "ripgrep" ? 7 + 6 + 2 : 7 + 6);
    const before = place.outside();
    const worked = new Map<string, number>();
    const refused = new Set<string>();
    const attackedBy = async (one: Attack): Promise<void> => {
      place.reset();
      for (const tool of all) {
        for (const args of callsOf(tool, one)) {
          const result = await tool.call(args);
          if (result.isError) refused.add(result.value.error.code);
          else worked.set(tool.title, (worked.get(tool.title) ?? 0) + 1);
          fair(tool, one, args, result.text);
          fair(tool, one, args, JSON.stringify(result.value));
        }
      }
      assert.equal(place.outside(), before, "something outside was changed");
    };
    // Once in peace, so that what is asked below does not depend on luck.
    for (const [one] of PLAIN) await attackedBy(one);
    const property = fc.asyncProperty(attack, attackedBy);
    await place.whileSwapping(() => fc.assert(property, { numRuns, seed, includeErrorInReport: true }));
    for (const tool of all.filter((one) => one.readOnly))
      assert.ok(worked.has(tool.title), `${tool.title} worked for some`);
    for (const code of ["OUTSIDE_WORKSPACE", "NOT_FOUND", "DENIED"])
      assert.ok(refused.has(code), `${code}: ${[...refused].join()}`);
    assert.ok(!refused.has("INTERNAL"), "no defect was met");
    assert.ok(readdirSync("/proc/self/fd").length < 200, "no descriptor is left open");
  });
}

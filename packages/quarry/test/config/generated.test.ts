/** Whatever stands in a configuration file: it is taken, or refused with lines, in bounded time, and never with a host path. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { loadConfig } from "#src/config/file.js";
import { QuarryError } from "#src/errors/errors.js";
import { generatedRuns } from "../support/cases.js";
import { makeTree } from "../support/tree.js";

const site = makeTree({ "docs/a": "", "threads/.keep": "" });

const word = fc.constantFrom(
  ..."profile engine limits mounts threads skills acp_workspace tools groups path host access denied disabled name group use".split(
    " ",
  ),
  ..."max_results options timeoutMs /mnt/docs ./docs docs ../.. quarry/quarry:grep ./x.js:y file:read read-only deerflow".split(
    " ",
  ),
  ..."null true ~ 0 -1 1e999 .inf .nan 0x10 0o7 2020-01-01 __proto__ constructor <<".split(" "),
  ..."&a *a !!js/function !!binary !<x> %YAML --- ... | > |- # ? : - [ ] { } , ' \" @ `".split(" "),
  "\t",
  "\0",
  "\u2028",
  "\ufeff",
  "é",
  site,
);
const line = fc
  .tuple(fc.nat({ max: 8 }), fc.array(fc.tuple(word, fc.constantFrom(" ", ": ", ", ", "", "- ")), { maxLength: 5 }))
  .map(([indent, parts]) => " ".repeat(indent) + parts.map(([a, b]) => a + b).join(""));
const text = fc.oneof(
  { weight: 5, arbitrary: fc.array(line, { maxLength: 14 }).map((lines) => lines.join("\n")) },
  { weight: 2, arbitrary: fc.json().map((json) => `mounts: ${json}\n`) },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  { weight: 1, arbitrary: fc.tuple(word, fc.nat({ max: 3_000 })).map(([one, n]) => `${one} `.repeat(n)) },
);

test("a mapping that calls itself a list or a text, in every place, is refused with its line", async () => {
  const odd = ['{"length":{}}', '{"length":{"valueOf":1,"toString":1}}', '{"size":{}}', '{"length":1,"0":{}}'];
  const places = [
    (it: string) => it,
    ...["profile", "engine", "limits", "mounts", "threads", "skills", "acp_workspace", "tools", "groups"].map(
      (key) => (it: string) => `${key}: ${it}`,
    ),
    (it: string) => `mounts: [{path: ${it}, host: ${it}, access: ${it}, denied: ${it}}]`,
    (it: string) => `mounts: [{path: /a, host: docs, denied: [${it}]}]`,
    (it: string) => `skills: {host: ${it}, disabled: ${it}}`,
    (it: string) => `tools: [{name: ${it}, group: ${it}, use: ${it}, max_results: ${it}, options: ${it}}]`,
    (it: string) => `groups: [${it}]`,
    (it: string) => `limits: {timeoutMs: ${it}}`,
  ];
  for (const place of places)
    for (const it of odd) {
      writeFileSync(join(site, "quarry.yaml"), `${place(it)}\n`);
      await assert.rejects(
        loadConfig(join(site, "quarry.yaml")),
        (error) =>
          error instanceof QuarryError && error.code === "CONFIG_INVALID" && error.message.startsWith("quarry.yaml"),
        place(it),
      );
    }
});

test("generated configuration files", async (t) => {
  const { numRuns, seed } = generatedRuns(t, 300);
  await fc.assert(
    fc.asyncProperty(text, async (content) => {
      writeFileSync(join(site, "quarry.yaml"), content);
      const started = performance.now();
      try {
        const config = await loadConfig(join(site, "quarry.yaml"));
        for (const { host } of config.mounts) assert.ok(host === site || host.startsWith(site));
      } catch (error) {
        assert.ok(error instanceof QuarryError && error.code === "CONFIG_INVALID", String((error as Error).stack));
        for (const told of error.message.split("\n"))
          assert.match(told, /^quarry\.yaml(:\d+: .| has \d+ problems$| is )|^and \d+ more$/, error.message);
        if (!content.includes(site)) assert.ok(!error.message.includes(site), error.message);
      }
      assert.ok(performance.now() - started < 10_000, "in bounded time");
    }),
    { numRuns, seed },
  );
});

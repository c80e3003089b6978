import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILE_TOOLS, PROFILES, WRITING_KINDS } from "#src/config/choices.js";
import { loadConfig, type QuarryConfig } from "#src/config/file.js";
import { configJsonSchema } from "#src/config/schema.js";
import { TUNABLES } from "#src/config/tunables.js";
import { QuarryError } from "#src/errors/errors.js";
import { profileTools } from "#src/tools/profiles.js";
import { Workspace } from "#src/workspace/workspace.js";
import { addToTree, makeTree } from "../support/tree.js";

const site = makeTree({
  "docs/a.md": "a",
  "docs/in/b.md": "b",
  "threads/t/keep": "",
  "skills/public/foo/SKILL.md": "s",
  "acp/x": "x",
  "a-file": "",
});

function load(text: string | Buffer): Promise<QuarryConfig> {
  writeFileSync(join(site, "quarry.yaml"), text);
  return loadConfig(join(site, "quarry.yaml"));
}

/** The lines of the refusal, without the file's name; checked to hold no host path. */
async function problems(text: string | Buffer): Promise<string[]> {
  const error = await load(text).then(
    () => assert.fail(`accepted: ${String(text).slice(0, 200)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof QuarryError, String(error));
  assert.equal(error.code, "CONFIG_INVALID");
  assert.ok(!error.message.includes(site), error.message);
  return error.message
    .split("\n")
    .filter((line) => !/^quarry\.yaml has \d+ problems$/.test(line))
    .map((line) => line.replace(/^quarry\.yaml:/, ""));
}

const FOLDER = "mounts: [{ path: /mnt/docs, host: ./docs }]\n";

test("a whole file becomes plain, resolved values", async () => {
  const config = await load(`
profile: deerflow
engine: kernel
limits: { timeoutMs: 5000 }
mounts:
  - { path: /mnt/docs, host: ./docs, denied: [in] }
  - { path: /mnt/docs/inner, host: docs/in, access: read-write }
threads: { host: threads }
skills: { host: skills, disabled: [public/foo] }
acp_workspace: { host: acp }
tools:
  - { name: find, group: file:read, use: "quarry/deerflow:glob", max_results: 7 }
  - { name: tickets, group: tickets, use: "./tools.js:tickets", options: { url: x } }
groups: [file:read, tickets]
`);
  const { location, settings, ...rest } = config;
  assert.equal(location, join(site, "quarry.yaml"));
  assert.equal(settings.timeoutMs, 5000);
  assert.equal(settings.maxResults, TUNABLES.maxResults.default);
  const none = { denied: [], disabled: [] };
  assert.deepEqual(rest, {
    file: "quarry.yaml",
    profile: "deerflow",
    engine: "kernel",
    mounts: [
      { path: "/mnt/docs", host: join(site, "docs"), access: "read", denied: ["in"], disabled: [] },
      { path: "/mnt/docs/inner", host: join(site, "docs/in"), access: "write", ...none },
      { path: "/mnt/skills", host: join(site, "skills"), access: "read", denied: [], disabled: ["public/foo"] },
      { path: "/mnt/acp-workspace", host: join(site, "acp"), access: "read", ...none },
    ],
    threads: join(site, "threads"),
    tools: [
      {
        name: "find",
        group: "file:read",
        module: "quarry/deerflow",
        export: "glob",
        maxResults: 7,
        options: {},
        line: 12,
      },
      {
        name: "tickets",
        group: "tickets",
        module: "./tools.js",
        export: "tickets",
        maxResults: null,
        options: { url: "x" },
        line: 13,
      },
    ],
    groups: ["file:read", "tickets"],
  });
});

test("what is left out has its default", async () => {
  const config = await load(FOLDER);
  assert.deepEqual(
    [config.profile, config.engine, config.threads, config.tools, config.groups],
    ["quarry", "auto", null, null, ["file:read"]],
  );
});

/** One rule each: the text, and the one line that it is refused with. */
const REFUSED: readonly (readonly [string, string])[] = [
  [
    `${FOLDER}profil: quarry\n`,
    "2: profil is unknown; accepted are profile, engine, limits, mounts, threads, skills, acp_workspace, tools, groups",
  ],
  [`${FOLDER}profile: claude\n`, '2: profile is "claude"; accepted is one of quarry, dsh, deerflow'],
  [`${FOLDER}engine: [rg]\n`, '2: engine is ["rg"]; accepted is one of auto, ripgrep, kernel, index, wasm, bash'],
  [`${FOLDER}limits:\n  timeoutMs: 1\n`, "3: limits.timeoutMs is 1; accepted is a whole number from 10 to 3600000"],
  [
    `${FOLDER}limits:\n  pageBytes: "20000"\n`,
    '3: limits.pageBytes is "20000"; accepted is a whole number from 1000 to 1000000',
  ],
  [`${FOLDER}limits:\n  timeoutMS: 1\n`, "3: limits.timeoutMS is unknown; accepted are maxResults, "],
  [
    "mounts:\n  - path: mnt/docs\n    host: docs\n",
    '2: mounts[0].path is "mnt/docs"; accepted is text such as /mnt/docs',
  ],
  ["mounts:\n  - path: /mnt/../docs\n    host: docs\n", '2: mounts[0].path is "/mnt/../docs"; accepted is'],
  ["mounts:\n  - path: /\n    host: docs\n", '2: mounts[0].path is "/"; accepted is'],
  ["mounts:\n  - path: /mnt//docs\n    host: docs\n", '2: mounts[0].path is "/mnt//docs"; accepted is'],
  ["mounts:\n  - path: /mnt/docs\n", "2: mounts[0].host is missing; accepted is text such as ./docs"],
  ["mounts:\n  - path: /mnt/docs\n    host: 7\n", "3: mounts[0].host is 7; accepted is text such as ./docs"],
  [
    "mounts:\n  - path: /mnt/docs\n    host: ''\n",
    "3: mounts[0].host is not the path of a folder; accepted is text such as ./docs",
  ],
  [
    "mounts:\n  - path: /mnt/docs\n    host: ./absent\n",
    "3: mounts[0].host is not an existing folder; accepted is the path of one, relative to this file",
  ],
  ["mounts:\n  - path: /mnt/docs\n    host: a-file\n", "3: mounts[0].host is not an existing folder; accepted"],
  [
    `mounts:\n  - path: /mnt/docs\n    host: docs\n    access: rw\n`,
    '4: mounts[0].access is "rw"; accepted is one of read-only, read-write',
  ],
  [
    `mounts:\n  - path: /mnt/docs\n    host: docs\n    denied: secrets\n`,
    '4: mounts[0].denied is "secrets"; accepted is a list of text such as secrets',
  ],
  [
    `mounts:\n  - path: /mnt/docs\n    host: docs\n    denied:\n      - a\n      - ../b\n`,
    '6: mounts[0].denied[1] is "../b"; accepted is text such as secrets',
  ],
  [`mounts:\n  - path: /mnt/docs\n    host: docs\n    denied: [/a]\n`, '4: mounts[0].denied[0] is "/a"; accepted is'],
  ["mounts: docs\n", '1: mounts is "docs"; accepted is a list of mappings with path, host, access, denied'],
  ["mounts:\n", "1: mounts is empty; accepted is a list"],
  ["mounts:\n  - /mnt/docs\n", '2: mounts[0] is "/mnt/docs"; accepted is a mapping of path, host, access, denied'],
  [
    "mounts:\n  - { path: /mnt/a, host: docs }\n  - { path: /mnt/a, host: acp }\n",
    '3: mounts[1].path is "/mnt/a", which is the place of mounts[0]; accepted is another one',
  ],
  [
    "mounts:\n  - { path: /mnt/a, host: docs }\n  - { path: /mnt/A, host: acp }\n",
    '3: mounts[1].path is "/mnt/A", which is the place of mounts[0]',
  ],
  [
    "skills: { host: skills }\nmounts:\n  - { path: /mnt/skills, host: docs }\n",
    '3: mounts[0].path is "/mnt/skills", which is the place of skills',
  ],
  [
    "threads: { host: threads }\nmounts:\n  - { path: /mnt/user-data/outputs, host: docs }\n",
    '3: mounts[0].path is "/mnt/user-data/outputs", which is the place of threads',
  ],
  [
    "threads: { host: threads }\nmounts:\n  - { path: /mnt/t, host: threads/t }\n",
    "3: mounts[0].host lies in the folder of all threads; accepted is a folder outside of it",
  ],
  [
    "skills:\n  host: skills\n  disabled: [/public]\n",
    '3: skills.disabled[0] is "/public"; accepted is text such as public/foo',
  ],
  ["acp_workspace: acp\n", '1: acp_workspace is "acp"; accepted is a mapping of host, access'],
  ["{}\n", "1: no folder is named; at least one of mounts, threads, skills, acp_workspace is needed"],
  ["", "1: no folder is named; at least one of"],
  ["- a\n", '1: the file is ["a"]; accepted is a mapping of profile,'],
  [
    `${FOLDER}tools:\n  - { name: a b, group: g, use: "./x.js:y" }\ngroups: [g]\n`,
    '3: tools[0].name is "a b"; accepted is text such as grep',
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: G, use: "./x.js:y" }\ngroups: []\n`,
    '3: tools[0].group is "G"; accepted is text such as file:read',
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: g, use: "./x.js" }\ngroups: [g]\n`,
    '3: tools[0].use is "./x.js"; accepted is text such as quarry/quarry:grep or ./tools.js:tickets',
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: g, use: "/etc/x.js:y" }\ngroups: [g]\n`,
    '3: tools[0].use is "/etc/x.js:y"; accepted is',
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: g, use: "quarry/deerflow:grab" }\ngroups: [g]\n`,
    '3: tools[0].use is "quarry/deerflow:grab", which there is not; accepted of Quarry\'s own are quarry/quarry: with grep, ',
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: g, use: "quarry/cursor:grep" }\ngroups: [g]\n`,
    '3: tools[0].use is "quarry/cursor:grep", which there is not',
  ],
  [
    `${FOLDER}tools:\n  - name: a\n    group: file:read\n    use: quarry/quarry:write_file\n`,
    '4: tools[0].group is "file:read", and write_file changes files; accepted is another group, such as file:write',
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: file:read, use: "quarry/quarry:grep", max_results: 0 }\n`,
    "3: tools[0].max_results is 0; accepted is a whole number from 1 to 10000",
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: file:read, use: "quarry/quarry:grep", maxResults: 1 }\n`,
    "3: tools[0].maxResults is unknown; accepted are name, group, use, max_results, options",
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: file:read, use: "quarry/quarry:grep" }\n  - { name: a, group: file:read, use: "quarry/quarry:glob" }\n`,
    '4: tools[1].name is "a", as tools[0].name is; accepted is another one',
  ],
  [
    `${FOLDER}groups: [file:wirte]\n`,
    '2: groups[0] is "file:wirte", which no tool is in; accepted are file:read, file:write',
  ],
  [`${FOLDER}groups: file:read\n`, '2: groups is "file:read"; accepted is a list of text such as file:read'],
  [
    `${FOLDER}tools:\n  - { name: a, group: file:read, use: "quarry/quarry:ls", max_results: 3 }\n`,
    "3: tools[0].max_results goes with glob and grep alone; accepted for ls is nothing",
  ],
  [
    `${FOLDER}tools:\n  - { name: a, group: file:read, use: "quarry/quarry:ls", options: {} }\n`,
    "3: tools[0].options goes with tools of your own alone; accepted for Quarry's own is nothing",
  ],
];

test("every rule is refused with its line, its key and what is accepted", async () => {
  for (const [text, expected] of REFUSED) {
    const told = await problems(text);
    assert.equal(told.length, 1, `${text}\n${told.join("\n")}`);
    assert.ok(told[0]?.startsWith(expected), `${text}\n- ${told[0]}\n+ ${expected}`);
  }
});

test("all problems are told at once, in the order of the file", async () => {
  const told = await problems("tools:\n  - name: grep\nmounts:\n  - host: ./absent\n    acess: x\nprofile: 3\nx: 1\n");
  assert.deepEqual(
    told.map((line) => /^\d+: [^ ]+/.exec(line)?.[0]),
    [
      "2: tools[0].group",
      "2: tools[0].use",
      "4: mounts[0].path",
      "4: mounts[0].host",
      "5: mounts[0].acess",
      "6: profile",
      "7: x",
    ],
  );
  assert.match(
    (await problems(Array.from({ length: 200 }, (_, i) => `k${i}: 1`).join("\n"))).at(-1) ?? "",
    /^and 151 more$/,
  );
});

test("the folder of all threads is denied in a mount around it", async () => {
  const config = await load("threads: { host: threads }\nmounts: [{ path: /mnt/all, host: . }]\n");
  assert.deepEqual(config.mounts[0]?.denied, ["threads"]);
});

test("a file that is absent, a folder, a pipe, not UTF-8, or too large is refused at once", async () => {
  addToTree(site, { "pipe.yaml": { fifo: true }, "dir.yaml": { dir: true } });
  for (const [name, what] of [
    ["none.yaml", "does not exist"],
    ["dir.yaml", "is not a file"],
    ["pipe.yaml", "is not a file"],
  ] as const)
    await assert.rejects(loadConfig(join(site, name)), { code: "CONFIG_INVALID", message: `${name} ${what}` });
  assert.deepEqual(await problems(Buffer.from("mounts: \xff", "latin1")), ["quarry.yaml is not UTF-8 text"]);
  assert.deepEqual(await problems(`# ${"x".repeat(70_000)}\n`), ["quarry.yaml is larger than 65536 bytes"]);
});

test("hostile YAML: no anchors, aliases, tags, directives, second documents, duplicate keys, deep nesting", async () => {
  const bomb = ["a: &a [x, x]", ...[..."bcdefgh"].map((c, i) => `${c}: &${c} [*${"abcdefg"[i]}, *${"abcdefg"[i]}]`)];
  for (const [text, expected] of [
    [bomb.join("\n"), /^1: anchors are not taken/],
    [`${FOLDER}x: *a\n`, /^2: alias(es|s) are not taken/],
    [`${FOLDER}x: !!js/function 'x'\n`, /^2: tags are not taken/],
    ["%YAML 1.1\n---\na: 1\n", /^1: directives are not taken/],
    [`${FOLDER}---\na: 1\n`, /^2: a second document/],
    [`${FOLDER}profile: dsh\nprofile: quarry\n`, /^3: not valid YAML: Map keys must be unique/],
    [`mounts: [${"[".repeat(60_000)}`, /^1: nested more than 16 levels deep/],
    ["- ".repeat(30_000), /^1: nested more than 16 levels deep/],
    [Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"), /nested more than 16 levels deep/],
    ["? [a]\n: 1\n", /a key must be a plain name/],
    [`${FOLDER}<<: { profile: dsh }\n`, /^2: "<<" is unknown/],
    [`${FOLDER}__proto__: { profile: dsh }\n`, /^2: __proto__ is unknown/],
    [`${FOLDER}constructor: 1\n`, /^2: constructor is unknown/],
    ['a: "\n', /not valid YAML/],
    ["a: b: c\n", /^1: not valid YAML/],
    ["{ a: 1\n", /not valid YAML/],
  ] as const) {
    const started = performance.now();
    const told = await problems(text);
    assert.match(told[0] ?? "", expected, text.slice(0, 80));
    assert.ok(performance.now() - started < 5_000, "in bounded time");
  }
  assert.equal(({} as Record<string, unknown>)["profile"], undefined);
});

test("the JSON Schema has every tunable with its bounds, and says what the check does of keys", () => {
  const schema = configJsonSchema();
  assert.equal(schema.additionalProperties, false);
  const limits = schema.properties?.["limits"];
  assert.ok(typeof limits === "object");
  assert.deepEqual(Object.keys(limits.properties ?? {}), Object.keys(TUNABLES));
  for (const [name, { min, max, help }] of Object.entries(TUNABLES)) {
    const one: unknown = limits.properties?.[name];
    assert.ok(typeof one === "object" && one !== null);
    const { minimum, maximum, description } = one as Record<string, unknown>;
    assert.deepEqual([minimum, maximum, description], [min, max, help]);
  }
});

test("the table of each profile's tools is what the profile makes", async () => {
  const workspace = await Workspace.open({ mounts: [{ host: join(site, "docs"), name: "mnt/docs" }] });
  for (const profile of PROFILES) {
    const made = await profileTools(workspace, profile, { artifacts: false, write: true });
    assert.deepEqual(made.map((tool) => tool.kind).sort(), [...PROFILE_TOOLS[profile]].sort());
    for (const tool of made) assert.equal(tool.readOnly, !WRITING_KINDS.has(tool.kind));
  }
});

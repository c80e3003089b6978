import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { decodeRipgrep, ripgrepBytes, WASM_RIPGREP_VERSION, withMaximum } from "#src/engines/wasm/bytes.js";
import { WasmEngine } from "#src/engines/wasm/engine.js";
import { RipgrepEngine } from "#src/engines/ripgrep/engine.js";
import { QuarryError } from "#src/errors/errors.js";
import type { LineQuery } from "#src/search/query.js";
import { ask, makePlace, run, type Place } from "./place.js";
import { runRipgrep } from "./wasm-ripgrep.js";

/**
 * What ripgrep's WebAssembly does otherwise than the packaged program. The engine uses none of it; the test fails when the list is not
 * true any more, so that a new version of either is looked at.
 */
test("the wasm version's differences from the program are these", async () => {
  const version = (text: string): string => /^ripgrep (\S+)/.exec(text)?.[1] ?? "";
  assert.equal(version((await runRipgrep(["--version"])).stdout), WASM_RIPGREP_VERSION);
  assert.equal(version(native(["--version"]).stdout), "15.0.0");
  // No PCRE2.
  assert.match((await runRipgrep(["--pcre2-version"])).all, /^PCRE2 is not available/);
  assert.match(native(["--pcre2-version"]).all, /^PCRE2 \d/);
  // No threads: more than one is an error.
  assert.equal((await runRipgrep(["--threads=4", "-e", "x", "./"])).all, "rg: unsupported platform\n");
  assert.equal((await runRipgrep(["--threads=1", "-e", "x", "./"])).code, 1);
  // No times of files.
  assert.match(
    (await runRipgrep(["--sort=modified", "-e", "x", "./"])).all,
    /^rg: sorting by last modified isn't supported/,
  );
  // No links, wherever they lead: the host shows it none, so `--follow` changes nothing.
  assert.deepEqual(await runRipgrep(["--follow", "-e", "x", "./"]), { code: 1, stdout: "", all: "" });
});

/** Arguments that the engines give, and what both have to say to them: the same words, since answers quote them. */
const SAID: readonly (readonly [pattern: string, rest: Partial<LineQuery>])[] = [
  ["(", {}],
  ["a{99999999}", {}],
  ["[z-a]", {}],
  ["(?<n>a)(?<n>b)", {}],
  ["\\p{Nonsense}", {}],
  ["a\\", {}],
  ["(?i", {}],
  ["x{2,1}", {}],
  ["x", { encoding: "nonsense" }],
  ["x", { encoding: "utf-16le" }],
];

test("both versions refuse the same, in the same words", async () => {
  const place = await makePlace({ a: "x\n" });
  for (const [pattern, rest] of SAID) {
    const query = ask(pattern, rest);
    const [a, b] = [await said(new RipgrepEngine(), place, query), await said(new WasmEngine(), place, query)];
    assert.equal(b, a, JSON.stringify(query));
  }
});

test("a pattern for PCRE2 is refused, and not searched as something else", async () => {
  const place = await makePlace({ a: "x\n" });
  assert.match(await said(new WasmEngine(), place, ask("x(?=y)", { pcre2: true })), /^ENGINE_UNAVAILABLE: .*PCRE2/);
});

test("bytes that are not the tested ones are never run", async () => {
  const bytes = await ripgrepBytes();
  assert.throws(() => withMaximum(Buffer.from("\0asm\x01\0\0\0"), 1), QuarryError);
  assert.throws(() => withMaximum(bytes.subarray(0, 1_000), 1), QuarryError);
  for (const source of [
    "",
    "x",
    'const compressedByteLength = 4; const getEncoded = () => "00000";',
    bytes.toString("latin1", 0, 5_000),
  ]) {
    await assert.rejects(
      decodeRipgrep(Buffer.from(source)),
      (error: unknown) => error instanceof QuarryError && error.code === "ENGINE_UNAVAILABLE",
    );
  }
});

async function said(engine: RipgrepEngine | WasmEngine, place: Place, query: LineQuery): Promise<string> {
  try {
    return JSON.stringify((await run(engine, place, query)).found);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

function native(args: readonly string[]): { readonly stdout: string; readonly all: string } {
  const { stdout, stderr } = spawnSync(rgPath, ["--no-config", ...args], { encoding: "utf8", input: "" });
  return { stdout, all: stdout + stderr };
}

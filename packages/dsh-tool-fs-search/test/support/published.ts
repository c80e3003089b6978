import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folder, type Row } from "./harness.js";

/** The harness' own search plugin, over the same registry, prompt, processes, time limits and store. */
export function published(config: Readonly<Record<string, number>> = {}): Row {
  return {
    id: "search",
    name: "@deepseek-ai/dsh-tool-fs-search",
    config: { sampleOverCapGlobResults: false, ...config },
  };
}

/** A tree with what the two may treat differently, the same in every run. */
export function sharedTree(): string {
  const root = folder();
  const files: Record<string, string | Buffer> = {
    ".gitignore": "ignored/\n",
    ".hidden/h.ts": "needle hidden\n",
    "ignored/i.ts": "needle ignored\n",
    "b.ts": "one\nneedle b\r\n",
    "a/a.ts": "needle a1\nneedle a2\n",
    "a.b/c.ts": "needle ab\n",
    "latin.txt": Buffer.from("needle na\xefve\n", "latin1"),
    "long.txt": `needle ${"x".repeat(3_000)}\n`,
    "new\nline.txt": "needle newline\n",
    "late.bin": Buffer.from("needle before\n\0\nneedle after\n"),
    "many.txt": "line 1\nline 2\nline 3\nline 4\nline 5\n",
    "empty.txt": "",
    ".svn/entries": "needle svn\n",
    "sub/.git": "gitdir: elsewhere\n",
  };
  let age = 1_000;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), age, age);
    age += 10;
  }
  symlinkSync("a", join(root, "link"));
  execFileSync("git", ["init", "-q", root]);
  return root;
}

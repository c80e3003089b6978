/** Run as a user without privileges: puts questions about what it may not read to ripgrep and to the engines in process, and prints both answers. */
import { answer, byRipgrep, inProcess } from "./oracle.js";

const [root = ""] = process.argv.slice(2);
const answers: [string, string, string][] = [];
for (const path of [
  "some",
  "none",
  "none/shut",
  "none/shut/a",
  "alone",
  "alone/file",
  "rules",
  "x".repeat(300),
  "some/open/x",
]) {
  for (const [tool, pattern] of [
    ["glob", "*"],
    ["grep", "needle"],
    ["grep", "ne{2}dle"],
  ] as const) {
    const ask = (finder: typeof inProcess): Promise<string> =>
      answer(finder, tool, { pattern, path }, { workdir: root });
    answers.push([`${tool} ${pattern} ${path}`, await ask(byRipgrep), await ask(inProcess)]);
  }
}
process.stdout.write(JSON.stringify(answers));

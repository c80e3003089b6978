/** A fenced block of a Markdown text. */
export interface Block {
  /** The fence's word: `sh`, `console`, `ts`, `text`, ... */
  readonly language: string;
  readonly body: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

/** One `$ command` of a console block and the lines that follow it. */
export interface Example {
  readonly command: string;
  readonly expected: readonly string[];
  readonly line: number;
}

/** All fenced blocks, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; language: string; line: number; body: string[] } | null = null;
  for (const [at, line] of markdown.split("\n").entries()) {
    const fence = /^(`{3,})\s*([\w-]*)/.exec(line);
    if (open === null) {
      if (fence !== null) open = { fence: fence[1] as string, language: fence[2] as string, line: at + 1, body: [] };
    } else if (line.trimEnd() === open.fence) {
      blocks.push({ language: open.language, line: open.line, body: open.body.join("\n") });
      open = null;
    } else {
      open.body.push(line);
    }
  }
  if (open !== null) throw new Error(`the fence of line ${open.line} is never closed`);
  return blocks;
}

/** The commands of a console block. A command's line ends with a backslash where it goes on. */
export function examplesOf(block: Block): Example[] {
  const examples: { command: string; expected: string[]; line: number }[] = [];
  let goesOn = false;
  for (const [at, line] of block.body.split("\n").entries()) {
    const last = examples.at(-1);
    if (goesOn && last !== undefined) last.command += `\n${line}`;
    else if (line.startsWith("$ ")) examples.push({ command: line.slice(2), expected: [], line: block.line + at + 1 });
    else if (last === undefined)
      throw new Error(`line ${block.line + at + 1}: a console block begins with "$ command"`);
    else last.expected.push(line);
    goesOn = (goesOn || line.startsWith("$ ")) && line.endsWith("\\");
  }
  for (const example of examples) while (example.expected.at(-1) === "") example.expected.pop();
  return examples;
}

/**
 * Does the output match? A line that is `...` stands for any number of lines, none included; `...` inside a line for any
 * text. Everything else is meant literally.
 */
export function outputMatches(expected: readonly string[], output: string): boolean {
  const pattern = expected
    .map((line) => (line.trim() === "..." ? "(?:.*\\n)*" : `${line.split("...").map(quote).join(".*")}\\n`))
    .join("");
  const text = output === "" || output.endsWith("\n") ? output : `${output}\n`;
  return new RegExp(`^${pattern}\\n*$`).test(text);
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

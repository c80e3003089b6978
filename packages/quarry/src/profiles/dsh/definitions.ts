import type { DshSettings } from "./settings.js";

/** One argument of a tool: all are strings. */
export interface DshParameter {
  readonly description: string;
  readonly required?: true;
}

/** What a model is told of a tool. */
export interface DshDefinition {
  readonly name: "glob" | "grep";
  readonly title: string;
  readonly description: (settings: DshSettings) => string;
  readonly parameters: Readonly<Record<string, DshParameter>>;
  /** The section of the system prompt that goes with it. */
  readonly prompt: { readonly name: string; readonly order: number; readonly text: string };
}

export const GLOB = {
  name: "glob",
  title: "Find files",
  description: ({ globMaxResults }) =>
    `Find files by a glob pattern, oldest modification first. Hidden and ignored files are included, version control folders are not; folders are never listed. ` +
    `Shows the first ${globMaxResults} paths and where the complete list is stored.`,
  parameters: {
    pattern: {
      description: 'Glob, e.g. "**/*.ts" or "src/**/*.test.js". Without "/" it matches the file name at any depth.',
      required: true,
    },
    path: { description: "Directory to look in; relative to the working directory, which is the default." },
  },
  prompt: {
    name: "tool:glob",
    order: 103,
    text: 'To find files by name, call glob rather than find or ls in a shell. It lists files, not directories, also hidden and ignored ones. "*" alone means every file at any depth.',
  },
} as const satisfies DshDefinition;

export const GREP = {
  name: "grep",
  title: "Search file contents",
  description: ({ grepMaxMatches }) =>
    `Search file contents for a regular expression (ripgrep syntax), line by line. Hidden and ignored files are left out. ` +
    `Shows the first ${grepMaxMatches} matching lines, grouped by file with line numbers, and where the complete result is stored.`,
  parameters: {
    pattern: { description: "Regular expression in ripgrep's syntax.", required: true },
    path: { description: "File or directory to search; relative to the working directory, which is the default." },
    include: {
      description: 'Only files that match this one glob, e.g. "*.ts" or "*.{js,jsx}". No list, no leading "!".',
    },
  },
  prompt: {
    name: "tool:grep",
    order: 104,
    text: "To search file contents, call grep rather than grep or rg in a shell. It shows the matching lines only: read a file for what stands around them.",
  },
} as const satisfies DshDefinition;

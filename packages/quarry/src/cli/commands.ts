import type { Command } from "commander";

/**
 * The commands by name, in the order of the help. Each is loaded when it is called, since loading all of them takes longer
 * than a small search.
 */
export const COMMANDS: Readonly<Record<string, (version: string) => Promise<Command>>> = {
  grep: async () => (await import("./commands/grep.js")).grepCommand(),
  glob: async () => (await import("./commands/glob.js")).globCommand(),
  read: async () => (await import("./commands/read.js")).readCommand(),
  ls: async () => (await import("./commands/ls.js")).lsCommand(),
  edit: async () => (await import("./commands/edit.js")).editCommand(),
  write: async () => (await import("./commands/write.js")).writeCommand(),
  doctor: async () => (await import("./commands/doctor.js")).doctorCommand(),
  cache: async () => (await import("./commands/cache.js")).cacheCommand(),
  index: async () => (await import("./commands/index.js")).indexCommand(),
  mcp: async (version) => (await import("./commands/mcp.js")).mcpCommand(version),
  audit: async () => (await import("./commands/audit.js")).auditCommand(),
};

/** The clients whose configuration format is known. */
export const CLIENTS = ["claude-code", "cursor", "vscode", "gemini-cli", "codex", "generic"] as const;
export type ClientName = (typeof CLIENTS)[number];

/** How to start the server on this machine. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where a client's block goes. */
export interface ClientConfig {
  /** The client's own name. */
  readonly title: string;
  /** The files that may hold the block, in words. */
  readonly file: string;
  readonly language: "json" | "toml";
  readonly block: string;
}

/** The block that makes a client start this server. Formats as the clients' own documentation gives them (see docs/install.md). */
export function clientConfig(client: ClientName, server: ServerCommand): ClientConfig {
  const entry = { command: server.command, args: server.args };
  const typed = { type: "stdio", ...entry };
  switch (client) {
    case "claude-code":
      return json("Claude Code", "`.mcp.json` in the project's folder", { mcpServers: { quarry: typed } });
    case "cursor":
      return json("Cursor", "`.cursor/mcp.json` in the project's folder, or `~/.cursor/mcp.json` for all projects", {
        mcpServers: { quarry: typed },
      });
    case "vscode":
      return json("VS Code", "`.vscode/mcp.json` in the workspace, or the user profile's `mcp.json`", {
        servers: { quarry: typed },
      });
    case "gemini-cli":
      return json(
        "Gemini CLI",
        "`.gemini/settings.json` in the project's folder, or `~/.gemini/settings.json` for all projects",
        { mcpServers: { quarry: entry } },
      );
    case "codex":
      return {
        title: "Codex",
        file: "`~/.codex/config.toml`, or `.codex/config.toml` in a trusted project's folder",
        language: "toml",
        block: `[mcp_servers.quarry]\ncommand = ${tomlString(server.command)}\nargs = [${server.args.map(tomlString).join(", ")}]`,
      };
    case "generic":
      return json("Any other client", "the client's MCP configuration", { mcpServers: { quarry: entry } });
  }
}

function json(title: string, file: string, value: unknown): ClientConfig {
  return { title, file, language: "json", block: JSON.stringify(value, null, 2) };
}

/** A TOML basic string: JSON's escapes are a part of TOML's; DEL must be escaped too (TOML 1.0, section String). */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

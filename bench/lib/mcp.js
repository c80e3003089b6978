// @ts-check
/** Quarry as a client meets it: a server process over stdio, spoken to by the SDK's client. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { QUARRY } from "./places.js";

const CALL_MS = 300_000;

/** A server and the connection to it. */
export class Server {
  #client;
  #transport;
  #signal;

  /** @param {Client} client @param {StdioClientTransport} transport @param {AbortSignal} signal */
  constructor(client, transport, signal) {
    this.#client = client;
    this.#transport = transport;
    this.#signal = signal;
  }

  /**
   * @param {string} root
   * @param {string} engine
   * @param {string} cache
   * @param {AbortSignal} signal Ends calls that run.
   * @returns {Promise<Server>} Once it has said that it is ready.
   */
  static async start(root, engine, cache, signal) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [QUARRY, "mcp", "--root", root, "--engine", engine, "--timeout", "5m"],
      env: { ...inherited(), QUARRY_CACHE_DIR: cache },
      stderr: "ignore",
    });
    const client = new Client({ name: "quarry-bench", version: "1.0.0" });
    await client.connect(transport, { signal });
    return new Server(client, transport, signal);
  }

  get pid() {
    return this.#transport.pid ?? 0;
  }

  /**
   * One whole tool call.
   * @param {import("./questions.js").Question} question
   * @returns {Promise<number>} The total that its text tells.
   */
  async ask({ tool, pattern, anyCase }) {
    const args = { pattern, ...(anyCase === true ? { case: "insensitive" } : {}) };
    const options = { signal: this.#signal, timeout: CALL_MS };
    const result = await this.#client.callTool({ name: tool, arguments: args }, undefined, options);
    const [content] = /** @type {{ text?: string }[]} */ (result.content);
    return totalOf(content?.text ?? "", result.isError === true);
  }

  async close() {
    await this.#client.close();
  }
}

/**
 * @param {string} text As the model sees it.
 * @param {boolean} isError
 */
function totalOf(text, isError) {
  const total = /^(?:([\d,]+) of )?([\d,]+) (?:match|path)/.exec(text);
  if (isError || total === null) throw new Error(`no complete answer: ${text.slice(0, 300)}`);
  // A cut page has all of it in an artifact: that belongs to what is measured.
  if (total[1] !== undefined && !text.includes("Complete result:")) throw new Error("a cut page without its artifact");
  return Number(total[2]?.replaceAll(",", ""));
}

/** @returns {Record<string, string>} */
function inherited() {
  return Object.fromEntries(
    Object.entries(process.env).filter(/** @returns {entry is [string, string]} */ (entry) => entry[1] !== undefined),
  );
}

import type { Readable, Writable } from "node:stream";
import {
  ProtocolErrorCode,
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";

/** A longer line is not parsed: it is skipped to its end and answered with an error. In bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const LINE_FEED = 0x0a;

/**
 * The stdio transport, one JSON-RPC message a line. It differs from the SDK's in what it does with bad input: a line that is
 * no JSON, no message, or too long is answered with a protocol error where the SDK drops it in silence or hangs up
 * (JSON-RPC 2.0, section 5.1: -32700 and -32600, with `id: null` where the id cannot be told).
 */
export class StdioWire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #parts: Buffer[] = [];
  #held = 0;
  #skipping = false;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#onData);
    this.#input.on("end", this.#onGone);
    this.#input.on("close", this.#onGone);
    this.#input.on("error", this.#onGone);
    this.#output.on("error", this.#onGone);
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onGone);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.off("data", this.#onData);
    this.#input.pause();
    this.#parts = [];
    this.onclose?.();
  }

  /** Resolves when the message was handed to the system; a client that does not read holds its own answers back. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#closed) await this.#write(serializeMessage(message));
  }

  readonly #onGone = (): void => {
    void this.close();
  };

  readonly #onData = (chunk: Buffer): void => {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1 && !this.#closed; end = chunk.indexOf(LINE_FEED, from)) {
      this.#hold(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (!this.#closed) this.#hold(chunk.subarray(from));
  };

  #hold(part: Buffer): void {
    if (this.#skipping) return;
    this.#held += part.length;
    if (this.#held > MAX_MESSAGE_BYTES) {
      this.#skipping = true;
      this.#parts = [];
      this.#refuse(null, ProtocolErrorCode.InvalidRequest, `message over ${MAX_MESSAGE_BYTES} bytes`);
    } else if (part.length > 0) this.#parts.push(part);
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts).toString("utf8").trim();
    const whole = !this.#skipping;
    this.#parts = [];
    this.#held = 0;
    this.#skipping = false;
    if (whole && line !== "") this.#take(line);
  }

  #take(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return this.#refuse(null, ProtocolErrorCode.ParseError, "not JSON");
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      return this.#refuse(idOf(value), ProtocolErrorCode.InvalidRequest, "not a JSON-RPC 2.0 message");
    }
    this.onmessage?.(message);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.onerror?.(new Error(message));
    void this.#write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve) => {
      // A failed write is the client's end; `error` on the stream tells that once.
      this.#output.write(line, () => resolve());
    });
  }
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

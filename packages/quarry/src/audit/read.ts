import { createReadStream } from "node:fs";
import type { AuditEvent } from "./event.js";

/** A longer line is no event. In bytes. */
const MAX_LINE = 256 * 1024;

/** The events of one file in order; null for a line that is none. Memory is bounded by one line. */
export async function* readEvents(path: string): AsyncGenerator<AuditEvent | null> {
  let held: Buffer[] = [];
  let length = 0;
  const take = (): AuditEvent | null | undefined => {
    const line = length > MAX_LINE ? null : Buffer.concat(held).toString("utf8").trim();
    held = [];
    length = 0;
    return line === "" ? undefined : line === null ? null : parseEvent(line);
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      length += end - from;
      if (length <= MAX_LINE) held.push(chunk.subarray(from, end));
      const event = take();
      if (event !== undefined) yield event;
      from = end + 1;
    }
    length += chunk.length - from;
    if (length <= MAX_LINE) held.push(chunk.subarray(from));
  }
  const last = take();
  if (last !== undefined) yield last;
}

function parseEvent(line: string): AuditEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  return isEvent(value) ? value : null;
}

function isEvent(value: unknown): value is AuditEvent {
  if (typeof value !== "object" || value === null) return false;
  const e = value as Record<string, unknown>;
  const count = (one: unknown): boolean => one === null || typeof one === "number";
  return (
    typeof e["time"] === "string" &&
    typeof e["tool"] === "string" &&
    typeof e["query"] === "object" &&
    e["query"] !== null &&
    Array.isArray(e["where"]) &&
    e["where"].every((one) => typeof one === "string") &&
    count(e["matches"]) &&
    count(e["shown"]) &&
    typeof e["bytes"] === "number" &&
    typeof e["elapsedMs"] === "number" &&
    typeof e["outcome"] === "string"
  );
}

import type { ErrorCode } from "../errors/errors.js";
import type { Coverage } from "../search/coverage.js";

/** How a call ended: an error by its code. */
export type AuditOutcome = "ok" | "empty" | "incomplete" | "cancelled" | ErrorCode;

/** One call. What a file or an edit holds is never in it. */
export interface AuditEvent {
  /** When it ended, ISO 8601, UTC. */
  readonly time: string;
  readonly tool: string;
  /** The arguments; texts that are content stand as `{ "bytes": n }`, long ones are cut. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The paths that were asked for, as the caller gave them, host paths masked; empty for the whole workspace. */
  readonly where: readonly string[];
  /** Results in all; null where the tool has no count. */
  readonly matches: number | null;
  /** Results on the page; null where the tool has no count. */
  readonly shown: number | null;
  /** Of the answer's text, in UTF-8. */
  readonly bytes: number;
  /** Null where the tool searches nothing, and for errors. */
  readonly coverage: Coverage | null;
  readonly elapsedMs: number;
  readonly outcome: AuditOutcome;
}

/** Where events go. Never throws: a fault of the sink is the sink's to tell, not the call's. */
export interface AuditSink {
  record(event: AuditEvent): void;
}

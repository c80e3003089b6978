import type { AuditEvent } from "./event.js";

/** One call in a list. */
export interface SummaryCall {
  readonly time: string;
  readonly tool: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly where: readonly string[];
  readonly elapsedMs: number;
  readonly matches: number | null;
  readonly shown: number | null;
}

/** Calls of one tool. */
export interface ToolSummary {
  readonly tool: string;
  readonly calls: number;
  readonly empty: number;
  readonly incomplete: number;
  readonly cut: number;
  readonly cancelled: number;
  readonly errors: number;
  readonly bytes: number;
  readonly medianMs: number;
  readonly slowestMs: number;
}

export interface AuditSummary {
  readonly calls: number;
  /** Lines that are no event. */
  readonly broken: number;
  /** Times of the first and the last event; null where there is none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Most called first. */
  readonly tools: readonly ToolSummary[];
  readonly slowest: readonly SummaryCall[];
  /** Questions that found nothing, by how often. */
  readonly emptiest: readonly { readonly tool: string; readonly pattern: string; readonly times: number }[];
  /** By results that did not fit the page. */
  readonly mostCut: readonly SummaryCall[];
  readonly errors: readonly { readonly code: string; readonly times: number }[];
}

interface Tally {
  calls: number;
  empty: number;
  incomplete: number;
  cut: number;
  cancelled: number;
  errors: number;
  bytes: number;
  readonly times: number[];
}

/** Sums up events as they are read. */
export async function summarise(events: AsyncIterable<AuditEvent | null>, top = 10): Promise<AuditSummary> {
  const tools = new Map<string, Tally>();
  const empty = new Map<string, { tool: string; pattern: string; times: number }>();
  const errors = new Map<string, number>();
  const slowest: AuditEvent[] = [];
  const mostCut: AuditEvent[] = [];
  let broken = 0;
  let calls = 0;
  let from: string | null = null;
  let to: string | null = null;
  for await (const event of events) {
    if (event === null) {
      broken++;
      continue;
    }
    calls++;
    if (from === null || event.time < from) from = event.time;
    if (to === null || event.time > to) to = event.time;
    tally(tools, event);
    keepTop(slowest, event, top, (e) => e.elapsedMs);
    if (cutBy(event) > 0) keepTop(mostCut, event, top, cutBy);
    if (event.outcome === "empty") {
      const pattern = typeof event.query["pattern"] === "string" ? event.query["pattern"] : JSON.stringify(event.query);
      const key = JSON.stringify([event.tool, pattern]);
      const entry = empty.get(key) ?? { tool: event.tool, pattern, times: 0 };
      entry.times++;
      empty.set(key, entry);
    }
    if (isError(event)) errors.set(event.outcome, (errors.get(event.outcome) ?? 0) + 1);
  }
  return {
    calls,
    broken,
    from,
    to,
    tools: [...tools].map(toolSummary).sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1)),
    slowest: slowest.map(toCall),
    emptiest: [...empty.values()].sort((a, b) => b.times - a.times).slice(0, top),
    mostCut: mostCut.map(toCall),
    errors: [...errors].map(([code, times]) => ({ code, times })).sort((a, b) => b.times - a.times),
  };
}

function tally(tools: Map<string, Tally>, event: AuditEvent): void {
  const t = tools.get(event.tool) ?? {
    calls: 0,
    empty: 0,
    incomplete: 0,
    cut: 0,
    cancelled: 0,
    errors: 0,
    bytes: 0,
    times: [],
  };
  tools.set(event.tool, t);
  t.calls++;
  t.bytes += event.bytes;
  t.times.push(event.elapsedMs);
  if (event.outcome === "empty") t.empty++;
  else if (event.outcome === "incomplete") t.incomplete++;
  else if (event.outcome === "cancelled") t.cancelled++;
  else if (isError(event)) t.errors++;
  if (cutBy(event) > 0) t.cut++;
}

function toolSummary([tool, { times, ...counts }]: [string, Tally]): ToolSummary {
  times.sort((a, b) => a - b);
  return { tool, ...counts, medianMs: times[Math.floor((times.length - 1) / 2)] ?? 0, slowestMs: times.at(-1) ?? 0 };
}

/** Results that did not fit the page. */
function cutBy(event: AuditEvent): number {
  return event.matches === null || event.shown === null ? 0 : event.matches - event.shown;
}

function isError(event: AuditEvent): boolean {
  return !["ok", "empty", "incomplete", "cancelled"].includes(event.outcome);
}

/** Keeps the largest `top` of what it is given, largest first. */
function keepTop(list: AuditEvent[], event: AuditEvent, top: number, value: (event: AuditEvent) => number): void {
  const at = list.findIndex((one) => value(one) < value(event));
  if (at === -1) list.push(event);
  else list.splice(at, 0, event);
  if (list.length > top) list.pop();
}

function toCall(event: AuditEvent): SummaryCall {
  const { time, tool, query, where, elapsedMs, matches, shown } = event;
  return { time, tool, query, where, elapsedMs, matches, shown };
}

import { QuarryError } from "../../errors/errors.js";
import type { LineQuery } from "../../search/query.js";
import { searchArguments } from "./arguments.js";
import type { OutputReader } from "./found.js";
import type { Ground } from "./ground.js";
import { JsonReader } from "./json.js";
import type { Launch, RipgrepHost, RipgrepRun } from "./host.js";
import type { Part, Places } from "./part.js";
import { PlainReader } from "./plain.js";

/** What every run of one search has in common. */
export interface Runner {
  readonly host: RipgrepHost;
  readonly query: LineQuery;
  readonly ground: Ground;
  /** Those that may be alive. */
  readonly live: Set<RipgrepRun>;
  /** Told of every piece of output and every end. */
  readonly onChange: () => void;
}

/** A part and the run of ripgrep that searches it. */
export class Slot {
  readonly part: Part;
  readonly places: Places;
  readonly reader: OutputReader;
  readonly complaints: string[] = [];
  /** null where there was nothing to start one for. */
  process: RipgrepRun | null = null;
  /** Why there is none though there should be. */
  problem: string | null = null;
  /** Set where we ended it or lost it, and what it did not get to is to be searched in another way. */
  retry: "blocked" | "memory" | "lost" | null = null;
  /** The last file that was handed on. */
  done: number;

  constructor(part: Part, places: Places, reader: OutputReader) {
    this.part = part;
    this.places = places;
    this.reader = reader;
    this.done = part.from - 1;
  }

  get running(): boolean {
    return this.process !== null && !this.process.exited;
  }

  get finished(): boolean {
    return this.process === null || this.process.finished;
  }
}

export const NO_PLACES: Places = {
  args: [],
  files: [],
  named: [],
  usesTrees: false,
  unreadable: [],
  indexOf: () => undefined,
};

/**
 * Starts the process for a part; for null one that searches nothing, to hear what it says of the question.
 */
export function startSlot(runner: Runner, part: Part | null): Slot {
  const { query, ground } = runner;
  const framed = query.multiline;
  let places = NO_PLACES;
  let problem: string | null = null;
  if (part !== null) {
    try {
      places = runner.host.places(part, ground, framed);
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      problem = error.message;
    }
  }
  const slot = new Slot(
    part ?? NO_PART,
    places,
    framed ? new JsonReader(places.indexOf) : new PlainReader(places.indexOf, enoughBytes(query), query.enoughLines),
  );
  slot.problem = problem;
  if (problem !== null || (part !== null && places.args.length === 0)) return slot;
  const form = framed ? "json" : part?.huge === true ? "plain-without-column" : "plain";
  try {
    slot.process = launch(runner, {
      args: [...searchArguments(query, form), ...(part === null ? ["-"] : places.args)],
      part,
      places,
      input: null,
      onComplaint: (complaint) => slot.complaints.push(complaint),
    });
  } finally {
    for (const file of places.files) file.close();
  }
  return slot;
}

/** Lines of more bytes are of a file that is no text by the asker's rule: in UTF-8 a text has at most twice the bytes of its file. */
function enoughBytes({ textRule }: LineQuery): number {
  return textRule === undefined ? Infinity : 2 * textRule.maxFileBytes;
}

const NO_PART: Part = {
  batch: { target: undefined as never, files: [], trees: [] },
  from: 0,
  to: 0,
  without: new Set(),
  huge: false,
  tried: 0,
};

/** Starts a run that belongs to the search: it ends with it. */
export function launch(runner: Runner, options: Omit<Launch, "ground" | "onChange">): RipgrepRun {
  const run = runner.host.start({ ...options, ground: runner.ground, onChange: runner.onChange });
  runner.live.add(run);
  void run.ended.then(() => runner.live.delete(run));
  return run;
}

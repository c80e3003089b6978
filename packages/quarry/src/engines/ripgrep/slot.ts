import { QuarryError } from "../../errors/errors.js";
import type { LineQuery } from "../../search/query.js";
import { searchArguments } from "./arguments.js";
import type { OutputReader } from "./found.js";
import type { Ground } from "./ground.js";
import { JsonReader } from "./json.js";
import { placesOf, type Part, type Places } from "./part.js";
import { PlainReader } from "./plain.js";
import { RipgrepProcess } from "./process.js";

/** What every process of one search has in common. */
export interface Runner {
  readonly binary: string;
  readonly query: LineQuery;
  readonly ground: Ground;
  /** Processes that may be alive. */
  readonly live: Set<RipgrepProcess>;
  /** Told of every piece of output and every end. */
  readonly onChange: () => void;
}

/** A part and the process that searches it. */
export class Slot {
  readonly part: Part;
  readonly places: Places;
  readonly reader: OutputReader;
  readonly complaints: string[] = [];
  /** null where there was nothing to start one for. */
  process: RipgrepProcess | null = null;
  /** Why there is none though there should be. */
  problem: string | null = null;
  /** Set where we ended it, and what it did not get to is to be searched in another way. */
  retry: "blocked" | "memory" | null = null;
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

const NO_PLACES: Places = { args: [], files: [], named: [], usesTrees: false, unreadable: [], indexOf: () => undefined };

/**
 * Starts the process for a part; for null one that searches nothing, to hear what it says of the question.
 */
export function startSlot(runner: Runner, part: Part | null): Slot {
  const { query, ground } = runner;
  const framed = query.multiline;
  let places = NO_PLACES;
  let folder = "/";
  let problem: string | null = null;
  if (part !== null) {
    try {
      folder = ground.folder(part.batch.target.mount);
      places = placesOf(part, ground.opener(part.batch.target.mount), framed);
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      problem = error.message;
    }
  }
  const slot = new Slot(part ?? NO_PART, places, framed ? new JsonReader(places.indexOf) : new PlainReader(places.indexOf));
  slot.problem = problem;
  if (problem !== null || (part !== null && places.args.length === 0)) return slot;
  const form = framed ? "json" : part?.huge === true ? "plain-without-column" : "plain";
  try {
    slot.process = launch(runner, {
      args: [...searchArguments(query, form), ...(part === null ? ["-"] : places.args)],
      folder,
      inherit: places.files.map((file) => file.fd),
      input: null,
      onComplaint: (complaint) => slot.complaints.push(complaint),
    });
  } finally {
    for (const file of places.files) file.close();
  }
  return slot;
}

const NO_PART: Part = {
  batch: { target: undefined as never, files: [], trees: [] },
  from: 0,
  to: 0,
  without: new Set(),
  huge: false,
};

/** Starts a process that belongs to the search: it ends with it. */
export function launch(
  runner: Runner,
  options: {
    readonly args: readonly string[];
    readonly folder: string;
    readonly inherit: readonly number[];
    readonly input: Iterable<Buffer> | null;
    readonly onComplaint: (complaint: string) => void;
  },
): RipgrepProcess {
  const process = new RipgrepProcess({
    binary: runner.binary,
    args: options.args,
    cwd: options.folder,
    inherit: options.inherit,
    input: options.input,
    onChange: runner.onChange,
    onComplaint: options.onComplaint,
  });
  runner.live.add(process);
  void process.ended.then(() => runner.live.delete(process));
  return process;
}

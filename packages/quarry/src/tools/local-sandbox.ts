import { resolveSettings } from "../config/settings.js";
import type { Settings } from "../config/tunables.js";
import { QuarryError } from "../errors/errors.js";
import type {
  GlobFound,
  GlobQuestion,
  GrepFound,
  GrepQuestion,
  Listed,
  ListQuestion,
  ReadQuestion,
  ReadText,
  ReplacedText,
  ReplaceQuestion,
  Sandbox,
  SandboxCall,
  WriteQuestion,
  WrittenFile,
} from "../sandbox/sandbox.js";
import type { Workspace } from "../workspace/workspace.js";
import { Clock } from "./clock.js";
import { Editing } from "./edit-call.js";
import { appendText, readLines, replaceOnce } from "./local-files.js";
import { globIn } from "./local-glob.js";
import { grepIn } from "./local-grep.js";
import { listIn } from "./local-list.js";
import { VirtualPaths } from "./local-place.js";
import { chooseEngine, type EngineChoice } from "./registry.js";
import type { Rooms } from "./rooms.js";

export interface LocalSandboxOptions {
  /** Over the defaults of `docs/settings.md`; `timeoutMs` is the time limit of one call. */
  readonly settings?: Partial<Settings>;
  /** `auto` where absent. */
  readonly engine?: EngineChoice;
}

/** The sandbox of this machine: the mounts of a workspace under their virtual names, searched by Quarry's engines. */
export class LocalSandbox implements Sandbox {
  readonly #rooms: Rooms;
  readonly #paths: VirtualPaths;
  readonly #editing: Editing;

  /** @throws QuarryError INVALID_ARGUMENT for a setting or an engine that does not exist. */
  constructor(workspace: Workspace, options: LocalSandboxOptions = {}) {
    this.#rooms = {
      workspace,
      settings: resolveSettings(options.settings),
      engine: chooseEngine(options.engine ?? "auto"),
      store: () => null,
      pcre2: false,
    };
    this.#paths = new VirtualPaths(workspace);
    this.#editing = new Editing(this.#rooms);
  }

  glob(question: GlobQuestion, call: SandboxCall = {}): Promise<GlobFound> {
    return this.#timed("Search", call, (clock) => globIn(this.#paths, question, clock, call.onProgress));
  }

  grep(question: GrepQuestion, call: SandboxCall = {}): Promise<GrepFound> {
    return this.#timed("Search", call, (clock) =>
      grepIn({ ...this.#rooms, paths: this.#paths }, question, clock, call.onProgress),
    );
  }

  ls(question: ListQuestion, call: SandboxCall = {}): Promise<Listed> {
    const limit = this.#rooms.settings.lsMaxEntries;
    return this.#timed("Listing", call, () => Promise.resolve(listIn(this.#paths, question.path, limit)));
  }

  readFile(question: ReadQuestion, call: SandboxCall = {}): Promise<ReadText> {
    return this.#timed("Reading", call, (clock) =>
      readLines(this.#paths, question, this.#rooms.settings, clock.signal),
    );
  }

  writeFile(question: WriteQuestion, call: SandboxCall = {}): Promise<WrittenFile> {
    return this.#told(() => appendText(this.#paths, this.#editing, question, call.signal));
  }

  strReplace(question: ReplaceQuestion, call: SandboxCall = {}): Promise<ReplacedText> {
    return this.#told(() => replaceOnce(this.#paths, this.#editing, question, call.signal));
  }

  /** An answer that the time limit cut short is none. */
  #timed<A>(what: string, call: SandboxCall, work: (clock: Clock) => Promise<A>): Promise<A> {
    return this.#told(async () => {
      const { timeoutMs } = this.#rooms.settings;
      const clock = new Clock(timeoutMs, call.signal);
      const ended = (): QuarryError | null => {
        if (clock.reason === "timeout")
          return new QuarryError("TIMED_OUT", `${what} timed out after ${timeoutMs / 1_000} s`);
        return clock.reason === "cancelled" ? new QuarryError("ABORTED", "the call was cancelled") : null;
      };
      try {
        const answer = await work(clock);
        const error = ended();
        if (error !== null) throw error;
        return answer;
      } catch (error) {
        if (error instanceof QuarryError && error.code === "ABORTED") throw ended() ?? error;
        throw error;
      } finally {
        clock.stop();
      }
    });
  }

  async #told<A>(work: () => Promise<A>): Promise<A> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof QuarryError) throw this.#paths.retold(error);
      throw error;
    }
  }
}

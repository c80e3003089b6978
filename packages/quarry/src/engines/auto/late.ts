import type { EngineReport, EngineStatus, HitSink, SearchEngine, SearchJob } from "../../search/engine.js";

/** An engine whose modules are loaded when it is first asked: most questions need one of them, and loading all takes longer. */
export class LateEngine implements SearchEngine {
  readonly name: SearchEngine["name"];
  readonly #load: () => Promise<SearchEngine>;
  #engine: Promise<SearchEngine> | null = null;

  constructor(name: SearchEngine["name"], load: () => Promise<SearchEngine>) {
    this.name = name;
    this.#load = load;
  }

  async status(): Promise<EngineStatus> {
    return (await this.#loaded()).status();
  }

  /** @throws QuarryError as the engine itself. */
  async search(job: SearchJob, sink: HitSink): Promise<EngineReport> {
    return (await this.#loaded()).search(job, sink);
  }

  #loaded(): Promise<SearchEngine> {
    return (this.#engine ??= this.#load());
  }
}

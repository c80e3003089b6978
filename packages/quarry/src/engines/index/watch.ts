import fs from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { newOwner, ownerState } from "../../files/write-owner.js";
import { isUnder, type RelPath } from "../../paths/path.js";
import type { Mount } from "../../workspace/mount.js";
import { COOKIES, type Happened, type WatchAnswer, type WatchQuestion, type WatchTask } from "./watch-protocol.js";
import { mostFolders, whyUnwatched } from "./watchable.js";

/** An answer to a cookie that takes longer (ms) is not waited for: then nothing is known. */
const COOKIE_MS = 300;
/** Without an answer for so long a watch is given up. */
const DEAD_MS = 10_000;
/** A watch that nobody has asked for so long (ms) ends, and gives its memory and its thread back. */
const IDLE_MS = 900_000;

/** For so long (ms) a list counts as the same where no event tells otherwise: rules may have been written without one. */
const LISTING_MS = 60_000;

export interface WatchLimits {
  /** Without a question for so long it ends; in milliseconds. */
  readonly idleMs?: number;
  /** With more of them the tree is not watched. */
  readonly folders?: number;
  readonly listingMs?: number;
}

/** A tree whose changes are told. `flush` says when all that happened so far has been. */
export class TreeWatch {
  readonly hostRoot: string;
  readonly #cookies: string;
  readonly #worker: Worker;
  readonly #onHappened: (happened: Happened) => void;
  /** Device and inode of the root when the watch began. */
  readonly #root: string;
  /** What is mounted over a folder tells nobody. */
  readonly #mounts: string;
  #state: "starting" | "ready" | "broken" = "starting";
  readonly #removeCookies = (): void => fs.rmSync(this.#cookies, { recursive: true, force: true });
  #tooLarge = false;
  #usedAt = performance.now();
  readonly #idleTimer: NodeJS.Timeout;
  #asked: ((changed: readonly RelPath[] | null) => void) | null = null;
  #cookie = 0;
  #listing = 0;
  readonly #listingMs: number;
  #listingAt = performance.now();
  #sent: { readonly promise: Promise<boolean>; readonly settle: (known: boolean) => void; readonly at: number } | null =
    null;
  #next: Promise<boolean> | null = null;
  readonly #flushes = new WeakMap<object, Promise<boolean>>();

  /**
   * @param folder where cookies can be: one that this user alone may enter, outside of the tree.
   * @param onHappened is told of everything before `flush` says that it is known.
   * @throws what the system says where cookies cannot be written; Error where the tree's file systems do not tell of every change.
   */
  constructor(mount: Mount, folder: string, onHappened: (happened: Happened) => void, limits: WatchLimits = {}) {
    const { idleMs = IDLE_MS, folders = mostFolders(), listingMs = LISTING_MS } = limits;
    this.#listingMs = listingMs;
    this.hostRoot = mount.hostRoot;
    this.#onHappened = onHappened;
    if (isUnder(fs.realpathSync(folder), mount.hostRoot)) throw new Error("the cache folder lies in the tree");
    const why = whyUnwatched(mount.hostRoot, 0);
    if (why !== null) throw new Error(why);
    this.#root = identity(mount.hostRoot);
    this.#mounts = mountsBelow(mount.hostRoot);
    sweep(folder);
    this.#cookies = fs.mkdtempSync(join(folder, `${newOwner()}.watch-`));
    for (let i = 0; i < COOKIES; i++) fs.writeFileSync(join(this.#cookies, `c${i}`), "", { mode: 0o600 });
    // Without the rules of this mount: another one of the same folder may have others. What is told are names, and nobody is shown them.
    const whole = { ...mount, denied: [], disabled: [], covered: [] };
    const task: WatchTask = { mount: whole, cookies: this.#cookies, folders };
    this.#worker = new Worker(new URL("./watch-worker.js", import.meta.url), { execArgv: [], workerData: task });
    this.#worker.on("message", (told: WatchAnswer) => this.#hear(told));
    this.#worker.on("error", () => this.#break());
    this.#worker.on("exit", () => this.#break());
    process.on("exit", this.#removeCookies);
    this.#idleTimer = setInterval(() => {
      if (performance.now() - this.#usedAt >= idleMs) this.#break();
    }, idleMs / 4).unref();
    // Last, since a listener for messages keeps the process alive.
    this.#worker.unref();
  }

  get isBroken(): boolean {
    return this.#state === "broken";
  }

  /** It broke since the tree has too many folders. */
  get isTooLarge(): boolean {
    return this.#tooLarge;
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** Another number whenever a list of the tree's files may be another one. */
  get listing(): number {
    return this.#listing;
  }

  /**
   * Settles when everything that happened in the tree before the call has been told; false where that is not certain: anything may
   * have happened.
   * @param answer as in `SearchJob`: what happened before the first call for it is meant.
   */
  flush(answer?: object): Promise<boolean> {
    this.#usedAt = performance.now();
    const before = answer === undefined ? undefined : this.#flushes.get(answer);
    if (before !== undefined) return before;
    const flushed = this.#flush();
    if (answer !== undefined) this.#flushes.set(answer, flushed);
    return flushed;
  }

  #flush(): Promise<boolean> {
    if (this.#usedAt - this.#listingAt > this.#listingMs) {
      this.#listingAt = this.#usedAt;
      this.#listing += 1;
    }
    if (this.#state !== "ready") return Promise.resolve(false);
    if (identity(this.hostRoot) !== this.#root || mountsBelow(this.hostRoot) !== this.#mounts) {
      this.#break();
      return Promise.resolve(false);
    }
    if (this.#sent === null) return this.#inTime(this.#send());
    // The cookie that is under way was written before this call; those that come meanwhile share the next one.
    this.#next ??= this.#sent.promise.then(() => {
      this.#next = null;
      return this.#sent?.promise ?? this.#send();
    });
    return this.#inTime(this.#next);
  }

  /**
   * Asks the system about files: which of them are not what they were when they were indexed, or are written under other names as well?
   * One question at a time.
   * @returns null where the watch has ended.
   */
  ask(
    paths: readonly RelPath[],
    numbers: readonly number[],
    stamps: BigInt64Array,
  ): Promise<readonly RelPath[] | null> {
    if (this.#state !== "ready" || this.#asked !== null) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#asked = resolve;
      const question: WatchQuestion = { paths, numbers, stamps };
      this.#worker.postMessage(question);
    });
  }

  async end(): Promise<void> {
    this.#break();
    await this.#worker.terminate();
  }

  #send(): Promise<boolean> {
    if (this.#state !== "ready") return Promise.resolve(false);
    this.#cookie = (this.#cookie + 1) % COOKIES;
    let settle: (known: boolean) => void = () => undefined;
    const promise = new Promise<boolean>((resolve) => (settle = resolve));
    this.#sent = { promise, settle, at: performance.now() };
    const now = new Date();
    try {
      fs.utimesSync(join(this.#cookies, `c${this.#cookie}`), now, now);
    } catch {
      // Somebody cleaned the cache folder: without cookies nothing is certain.
      this.#break();
      return promise;
    }
    return promise;
  }

  async #inTime(promise: Promise<boolean>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), COOKIE_MS)));
    const known = await Promise.race([promise, late]);
    clearTimeout(timer);
    if (!known && this.#sent !== null && performance.now() - this.#sent.at > DEAD_MS) this.#break();
    return known;
  }

  #hear(told: WatchAnswer): void {
    if (told.kind === "broken") {
      this.#tooLarge = told.tooLarge;
      this.#break();
    } else if (told.kind === "ready") {
      if (this.#state === "starting") this.#state = "ready";
    } else if (told.kind === "asked") {
      this.#asked?.(told.changed);
      this.#asked = null;
    } else if (this.#state !== "broken") {
      if (told.listed) this.#listing += 1;
      this.#onHappened(told);
      if (told.cookie !== this.#cookie || this.#sent === null) return;
      const { settle } = this.#sent;
      this.#sent = null;
      settle(true);
    }
  }

  #break(): void {
    if (this.#state === "broken") return;
    this.#state = "broken";
    this.#sent?.settle(false);
    this.#sent = null;
    this.#asked?.(null);
    this.#asked = null;
    clearInterval(this.#idleTimer);
    this.#onHappened({ touched: [], trees: [], lost: true, listed: true });
    process.off("exit", this.#removeCookies);
    this.#removeCookies();
    void this.#worker.terminate();
  }
}

/** Removes the cookies of processes that have ended. */
function sweep(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    const owner = /^(.+)\.watch-\w+$/.exec(name)?.[1];
    if (owner !== undefined && ownerState(owner) === "dead")
      fs.rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** What is mounted in a tree, as lines of `/proc/self/mountinfo`; what is mounted over it changes its identity. */
function mountsBelow(host: string): string {
  const root = Buffer.from(host, "utf8").toString("latin1");
  const table = fs.readFileSync("/proc/self/mountinfo", "latin1");
  if (table !== lastMounts.table) lastMounts = { table, below: new Map() };
  let below = lastMounts.below.get(root);
  if (below === undefined) lastMounts.below.set(root, (below = linesBelow(table, root)));
  return below;
}

/** Taking the table apart costs more than to read it. */
let lastMounts: { readonly table: string; readonly below: Map<string, string> } = { table: "", below: new Map() };

function linesBelow(table: string, root: string): string {
  return table
    .split("\n")
    .filter((line) => {
      const point = line.split(" ", 5)[4] ?? "";
      return isUnder(
        point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
        root,
      );
    })
    .join("\n");
}

function identity(host: string): string {
  const stat = fs.statSync(host, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.dev} ${stat.ino}`;
}

import { QuarryError } from "../errors/errors.js";
import type { Tool } from "../tools/tool.js";
import { clientFolders, narrower, outermost } from "./roots.js";

/** A workspace as the server sees it. */
export interface OpenWorkspace {
  readonly tools: readonly Tool[];
  /** Lets go of what it holds; called once no call uses it. */
  close?(): Promise<void>;
}

/** Where the workspace comes from. */
export interface WorkspaceSource {
  /** Folders named on the command line; empty where none was. */
  readonly roots: readonly string[];
  /** True where the folders are settled and what the client offers does not count. False where absent. */
  readonly fixed?: boolean;
  /** The folders where neither the command line nor the client names any. @throws QuarryError where that would be a guess. */
  readonly fallback: () => readonly string[];
  readonly open: (folders: readonly string[]) => Promise<OpenWorkspace>;
  /** One line for the person who runs the server. */
  readonly log: (line: string) => void;
}

interface Entry {
  readonly workspace: Promise<OpenWorkspace>;
  users: number;
}

/** The workspace that the command line and the client's roots allow together; opened once for each set of folders. */
export class Workspaces {
  readonly #source: WorkspaceSource;
  readonly #open = new Map<string, Entry>();
  #current = "";
  #told = "";

  constructor(source: WorkspaceSource) {
    this.#source = source;
  }

  /**
   * Runs `work` in the workspace for what the client offers.
   * @param roots the client's root URIs; null where it offers none.
   * @throws QuarryError where no folder is left, or one cannot be opened.
   */
  async use<R>(roots: readonly string[] | null, work: (workspace: OpenWorkspace) => Promise<R>): Promise<R> {
    const key = JSON.stringify(this.#folders(roots));
    let entry = this.#open.get(key);
    if (entry === undefined) {
      entry = { workspace: this.#source.open(JSON.parse(key) as string[]), users: 0 };
      this.#open.set(key, entry);
    }
    this.#current = key;
    entry.users++;
    try {
      return await work(await entry.workspace);
    } catch (error) {
      // A workspace that could not be opened is tried again by the next call.
      if (
        await entry.workspace.then(
          () => false,
          () => true,
        )
      )
        this.#open.delete(key);
      throw error;
    } finally {
      entry.users--;
      await this.#closeUnused();
    }
  }

  /** Closes what is open. */
  async close(): Promise<void> {
    this.#current = "";
    await this.#closeUnused();
  }

  #folders(roots: readonly string[] | null): readonly string[] {
    const named = this.#source.roots;
    if (this.#source.fixed === true) return named;
    if (roots === null || roots.length === 0) return named.length > 0 ? named : this.#source.fallback();
    const client = clientFolders(roots);
    const allowed =
      named.length > 0
        ? narrower(named, client.folders)
        : { folders: outermost([...new Set(client.folders)]), ignored: [] };
    this.#tell([...client.ignored, ...allowed.ignored]);
    if (allowed.folders.length > 0) return allowed.folders;
    throw new QuarryError("OUTSIDE_WORKSPACE", "no root of the client is a folder that this server may show", {
      remedy:
        named.length > 0
          ? "Open a folder inside those given with --root, or start the server with another --root."
          : "Open a folder that exists on this machine, or start the server with --root.",
    });
  }

  #tell(lines: readonly string[]): void {
    const text = lines.join("\n");
    if (text !== this.#told) for (const line of lines) this.#source.log(line);
    this.#told = text;
  }

  async #closeUnused(): Promise<void> {
    for (const [key, entry] of this.#open) {
      if (entry.users > 0 || key === this.#current) continue;
      this.#open.delete(key);
      const workspace = await entry.workspace.catch(() => null);
      await workspace?.close?.();
    }
  }
}

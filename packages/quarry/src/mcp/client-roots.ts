import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** A client that offered roots and does not tell them within this time is served without. */
const ANSWER_MS = 5_000;
const KEY = "roots";

/** The client's root URIs (null: it offers none), or what the client must be asked first. */
export type RootsOrQuestion = { readonly uris: readonly string[] | null } | { readonly question: InputRequiredResult };

/**
 * Learns a client's roots. A client of the protocol before 2026-07-28 is asked once, and again when it says that they changed; a
 * later one has no such request: the call itself is answered with the question, and comes again with the roots.
 */
export class ClientRoots {
  readonly #server: Server;
  readonly #log: (line: string) => void;
  #asked: Promise<readonly string[] | null> | null = null;

  constructor(server: Server, log: (line: string) => void) {
    this.#server = server;
    this.#log = log;
    server.setNotificationHandler("notifications/roots/list_changed", () => {
      this.#asked = null;
    });
  }

  /** For one call. */
  async of(ctx: ServerContext): Promise<RootsOrQuestion> {
    const { envelope, inputResponses } = ctx.mcpReq;
    if (envelope === undefined) return { uris: await this.#legacy() };
    if (!offersRoots(envelope)) return { uris: null };
    if (inputResponses === undefined)
      return { question: inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } }) };
    const answer = inputResponse(inputResponses, KEY);
    if (answer.kind === "roots") return { uris: uris(answer.roots) };
    this.#log("the client offers roots and did not tell them: going on without");
    return { uris: null };
  }

  #legacy(): Promise<readonly string[] | null> {
    if (this.#server.getClientCapabilities()?.roots === undefined) return Promise.resolve(null);
    this.#asked ??= this.#server.listRoots(undefined, { timeout: ANSWER_MS }).then(
      (result) => uris(result.roots),
      (error: unknown) => {
        this.#log(
          `the client offers roots and did not tell them (${error instanceof Error ? error.message : String(error)}): going on without`,
        );
        return null;
      },
    );
    return this.#asked;
  }
}

/** The SDK gives the capabilities of a request as they came. */
function offersRoots(envelope: Readonly<Record<string, unknown>>): boolean {
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY];
  return (
    typeof capabilities === "object" &&
    capabilities !== null &&
    "roots" in capabilities &&
    capabilities.roots !== undefined
  );
}

function uris(roots: readonly unknown[]): readonly string[] {
  return roots.flatMap((root) =>
    typeof root === "object" && root !== null && "uri" in root && typeof root.uri === "string" ? [root.uri] : [],
  );
}

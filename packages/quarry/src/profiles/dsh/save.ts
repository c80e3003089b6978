import type { SavedResult } from "./text.js";

/** One complete result to keep. The shape is that of DeepSeek Harness' `ctx.spillStore`. */
export interface SaveText {
  readonly owner: { readonly sessionId: string };
  readonly source: { readonly toolName: string; readonly callId: string; readonly label: "result" };
  /** A hint for a readable name, never a path. */
  readonly suggestedName: string;
  readonly content: string;
}

/** Where complete results are kept. */
export interface ResultStore {
  /** @throws where it could not be saved. */
  saveText(input: SaveText): Promise<{ readonly locator: string; readonly retrievalHint: string }>;
}

/** Who called, and where the complete result may go. */
export interface ResultOwner {
  /** The tool's name in this call. */
  readonly toolName: string;
  readonly callId: string;
  /** Undefined where nobody owns results: then nothing is saved. */
  readonly sessionId: string | undefined;
  /** Undefined where there is no store. */
  readonly store: ResultStore | undefined;
  /** Told why a complete result was not saved. */
  readonly warn: (message: string) => void;
}

/** Saves a complete result, or returns null: that it could not be saved never makes a search fail. */
export async function saveComplete(
  owner: ResultOwner,
  suggestedName: string,
  content: string,
): Promise<SavedResult | null> {
  const { toolName, callId, sessionId, store, warn } = owner;
  if (sessionId === undefined || store === undefined) {
    warn(
      `the complete result of ${toolName} is not saved: ${store === undefined ? "there is no spill store" : "the call belongs to no session"}`,
    );
    return null;
  }
  try {
    const { locator, retrievalHint } = await store.saveText({
      owner: { sessionId },
      source: { toolName, callId, label: "result" },
      suggestedName,
      content,
    });
    return { locator, hint: retrievalHint };
  } catch (error) {
    warn(`the complete result of ${toolName} is not saved: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

import { HarnessError } from "@deepseek-ai/dsh-llm";
import { ToolArgsError } from "@deepseek-ai/dsh-tools";
import { ArgumentFailure, SearchFailure, type SearchCode } from "quarry/dsh";

/**
 * A search that has no answer, as the harness routes it: by `code`.
 *
 * - `SEARCH_INVALID_PATTERN`: ripgrep does not take the pattern or a glob; the message holds its reason.
 * - `SEARCH_FAILED`: The search could not be done: the shell or ripgrep did not start or died, a path cannot be read, or
 *   ripgrep's output makes no sense.
 * - `SEARCH_RAW_OUTPUT_OVERFLOW`: ripgrep printed more than `rawOutputMaxBytes`; narrow pattern, path or include.
 * - `SEARCH_ABORTED`: The call was cancelled, or one of the two time limits was reached; the message says which.
 */
export class SearchError extends HarnessError {
  override readonly code: SearchCode;

  constructor(code: SearchCode, message: string, options?: ErrorOptions) {
    super(message, code, options);
    this.name = "SearchError";
    this.code = code;
  }
}

/** Runs a search and gives its failures the harness' own classes. */
export async function withHarnessErrors<T>(search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof SearchFailure) throw new SearchError(error.code, error.message, { cause: error });
    if (error instanceof ArgumentFailure) throw new ToolArgsError([error.message]);
    throw error;
  }
}

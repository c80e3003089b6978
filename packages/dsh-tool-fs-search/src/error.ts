import { HarnessError } from "@deepseek-ai/dsh-llm";
import { ToolArgsError } from "@deepseek-ai/dsh-tools";
import { ArgumentFailure, SearchFailure, type SearchCode } from "quarry/dsh";

/** A search that has no answer, as the harness routes it: by `code`. */
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

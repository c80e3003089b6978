import type { ErrorCode } from "../errors/errors.js";

/** The tools by what they do; a profile may show them under other names. */
export type ToolKind = "grep" | "glob" | "read_file" | "ls" | "str_replace" | "write_file" | "multi_edit";

/** What a caller may give beside the arguments. */
export interface CallOptions {
  /** Ends the call and everything it started, at once; what was found so far is returned, marked incomplete. */
  readonly signal?: AbortSignal;
  /** Told now and then how far a long call is: files seen so far, and matches. Never throws. */
  readonly onProgress?: (progress: { readonly files: number; readonly matches: number }) => void;
}

/** An error as a value: what programs get in place of the tool's own value. */
export interface ErrorValue {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly remedy: string;
    readonly argument?: string;
    readonly nearNames?: readonly string[];
  };
}

/** The outcome of one call: the same facts as text for a model and as a value for a program. */
export type ToolResult<V> =
  | {
      readonly isError: false;
      readonly text: string;
      readonly value: V;
      /** False where the answer is incomplete. */ readonly complete: boolean;
      /** True where there is nothing to show. */ readonly empty: boolean;
    }
  | { readonly isError: true; readonly text: string; readonly value: ErrorValue };

/** A tool, as every face (library, command line, MCP, adapters) takes it. `V` is its structured value. */
export interface Tool<V = unknown> {
  readonly kind: ToolKind;
  /** The name a model calls it by. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema 2020-12: an object with `properties` and no `$ref` or top-level union. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  /**
   * Checks the arguments and answers. Never throws for anything a caller did: that is an `isError` result.
   */
  call(args: unknown, options?: CallOptions): Promise<ToolResult<V>>;
}

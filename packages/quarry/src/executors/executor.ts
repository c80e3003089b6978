/**
 * The bash seam: runs one command in the foreground, here or elsewhere (a container, another machine). The shapes are those of
 * DeepSeek Harness' `ctx.shell`, so that its executors fit as they are.
 */

/** What a caller asks for. What is left out is filled by `resolve`. */
export interface BashRequest {
  /** A script for `bash -c`. Values in it are quoted with `shellQuote`. */
  readonly command: string;
  /** Folder to run in, as the executor's own system names it. */
  readonly workdir?: string | undefined;
  /** Milliseconds; capped by the executor. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of stdout that are kept. */
  readonly stdoutMaxBytes?: number | undefined;
  /** When it fires, the command and everything it started is ended. */
  readonly signal?: AbortSignal | undefined;
  /** Written to the command's stdin, which is then closed; without it stdin is empty. */
  readonly stdin?: string | undefined;
  /** Added to the environment that the executor gives to commands. */
  readonly env?: Record<string, string> | undefined;
}

/** A request after the executor's defaults and caps. Handed to `run` as it came from `resolve`: executors may keep more in it. */
export interface BashSpec extends BashRequest {
  readonly workdir: string;
  readonly timeoutMs: number;
  readonly stdoutMaxBytes: number;
}

/** What is kept of one stream. */
export interface CapturedText {
  /** UTF-8, whole at every cut; bytes that are not UTF-8 are U+FFFD. */
  readonly text: string;
  /** True where a part of the stream is not in `text`: of stdout the end, of stderr the beginning. */
  readonly truncated: boolean;
}

/** How a command ended. */
export interface BashResult {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  /** The signal that ended it, e.g. `SIGTERM`; null where it exited. */
  readonly signal: string | null;
  /** The executor's time limit was the first to end it. Never together with `aborted`. */
  readonly timedOut: boolean;
  /** The request's signal was the first to end it. */
  readonly aborted: boolean;
  readonly stdout: CapturedText;
  readonly stderr: CapturedText;
}

export interface BashExecutor {
  /** Applies the executor's defaults and caps. */
  resolve(request: BashRequest): BashSpec;
  /**
   * Runs a resolved command to its end. An exit status, a time limit and a cancelled signal are results.
   * @throws where the command could not be started at all.
   */
  run(spec: BashSpec): Promise<BashResult>;
}

import {
  ShellExecutor,
  type ShellExecRequest,
  type ShellExecSpec,
  type ShellProcess,
  type ShellRunResult,
} from "@deepseek-ai/dsh-shell";
import type { Context } from "@deepseek-ai/cordis";

/** What a scripted command gives; the rest is a clean end without output. */
export interface Scripted {
  readonly exitCode?: number | null;
  readonly signal?: NodeJS.Signals | null;
  readonly timedOut?: boolean;
  readonly aborted?: boolean;
  readonly stdout?: string | ShellRunResult["stdout"];
  readonly stderr?: string | ShellRunResult["stderr"];
  /** Rejects instead, as an executor does that cannot start anything. */
  readonly rejects?: Error;
}

/** What the running test's shell answers, and what it was asked. Set by `script`. */
interface Script {
  readonly answer: (spec: ShellExecSpec) => Scripted;
  readonly requests: ShellExecRequest[];
  readonly specs: ShellExecSpec[];
  started: number;
}

let current: Script = { answer: () => ({}), requests: [], specs: [], started: 0 };

/** The folder that the scripted shell's `resolve` fills in. */
export const SCRIPTED_WORKDIR = "/the/workdir";
export const SCRIPTED_TIMEOUT_MS = 4_321;

/**
 * Begins a script: the probe is answered with `probe`, every other command with `answer`.
 * @returns what the shell is asked from now on.
 */
export function script(answer: Scripted | ((spec: ShellExecSpec) => Scripted), probe: Scripted = {}): Script {
  const each = typeof answer === "function" ? answer : () => answer;
  current = {
    answer: (spec) => (spec.command.startsWith("command -v") ? probe : each(spec)),
    requests: [],
    specs: [],
    started: 0,
  };
  return current;
}

/** `ctx.shell` with scripted ends, for what a real ripgrep cannot be made to do. Loaded as a plugin of the composition. */
export default class ScriptedShell extends ShellExecutor {
  constructor(ctx: Context) {
    super(ctx);
  }

  resolve(request: ShellExecRequest): ShellExecSpec {
    current.requests.push(request);
    return {
      workdir: SCRIPTED_WORKDIR,
      timeoutMs: SCRIPTED_TIMEOUT_MS,
      stdoutMaxBytes: 1_000,
      sandboxPolicy: undefined,
      ...request,
    } as ShellExecSpec;
  }

  async run(spec: ShellExecSpec): Promise<ShellRunResult> {
    current.specs.push(spec);
    const {
      exitCode = 0,
      signal = null,
      timedOut = false,
      aborted = false,
      stdout = "",
      stderr = "",
      rejects,
    } = current.answer(spec);
    if (rejects !== undefined) throw rejects;
    const captured = (text: string | ShellRunResult["stdout"]) =>
      typeof text === "string" ? { text, truncated: false } : text;
    return {
      exitCode,
      signal,
      timedOut,
      aborted,
      timeoutMs: spec.timeoutMs,
      stdout: captured(stdout),
      stderr: captured(stderr),
    };
  }

  start(): ShellProcess {
    current.started += 1;
    throw new Error("a search never starts a background process");
  }
}

import { QuarryError } from "#src/errors/errors.js";
import type { Sandbox, SandboxCall } from "#src/sandbox/sandbox.js";

/** A provider as it is met over a wire: questions, answers and errors are JSON, and nothing else comes through. */
export function throughJson(own: Sandbox): Sandbox {
  const ask = async (method: keyof Sandbox, question: unknown, call: SandboxCall = {}): Promise<never> => {
    const work = own[method] as (question: unknown, call: SandboxCall) => Promise<unknown>;
    const sent: unknown = JSON.parse(JSON.stringify(question));
    let answer: string;
    try {
      answer = JSON.stringify({
        value: await work.call(own, sent, call.signal === undefined ? {} : { signal: call.signal }),
      });
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      answer = JSON.stringify({ error: { code: error.code, message: error.message } });
    }
    const { value, error } = JSON.parse(answer) as { value?: unknown; error?: { code: string; message: string } };
    if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
    return value as never;
  };
  return {
    glob: (question, call) => ask("glob", question, call),
    grep: (question, call) => ask("grep", question, call),
    ls: (question, call) => ask("ls", question, call),
    readFile: (question, call) => ask("readFile", question, call),
    writeFile: (question, call) => ask("writeFile", question, call),
    strReplace: (question, call) => ask("strReplace", question, call),
  };
}

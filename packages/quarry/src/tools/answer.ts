import { QuarryError } from "../errors/errors.js";
import { errorText } from "../profiles/quarry/error-text.js";
import type { Workspace } from "../workspace/workspace.js";
import type { ErrorValue, ToolResult } from "./tool.js";

/**
 * Runs one call and turns what it throws into an error result, host paths masked. An error that is not ours is a defect:
 * it is told as INTERNAL and never looks like an answer.
 */
export async function answer<V>(workspace: Workspace, work: () => Promise<ToolResult<V>>): Promise<ToolResult<V>> {
  try {
    return await work();
  } catch (thrown) {
    return errorResult(toQuarryError(thrown, workspace));
  }
}

/** The error result that every tool gives for this error. */
export function errorResult(error: QuarryError): ToolResult<never> {
  const { argument, nearNames } = error.details;
  const value: ErrorValue = {
    error: {
      code: error.code,
      message: error.message,
      remedy: error.remedy,
      ...(argument === undefined ? {} : { argument }),
      ...(nearNames === undefined || nearNames.length === 0 ? {} : { nearNames }),
    },
  };
  return { isError: true, text: errorText(error), value };
}

function toQuarryError(thrown: unknown, workspace: Workspace): QuarryError {
  if (thrown instanceof QuarryError) {
    const masked = workspace.mask(thrown.message);
    return masked === thrown.message ? thrown : new QuarryError(thrown.code, masked, thrown.details, { cause: thrown });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new QuarryError("INTERNAL", `unexpected failure: ${workspace.mask(message)}`, {}, { cause: thrown });
}

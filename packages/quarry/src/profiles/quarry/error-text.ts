import type { QuarryError } from "../../errors/errors.js";

/** What a model reads of an error: the code, what is wrong, and the next step. */
export function errorText(error: QuarryError): string {
  const near = error.details.nearNames ?? [];
  const names = near.length === 0 ? "" : ` Close names: ${near.join(", ")}.`;
  const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  return `Error ${error.code}: ${message}${names} ${error.remedy}`;
}

import { encodingName } from "../files/decode.js";

/**
 * The `encoding` argument as a canonical WHATWG name; null where it is absent or empty: then a byte order mark decides, and
 * UTF-8 where there is none.
 * @throws QuarryError INVALID_ARGUMENT for a label that is not known.
 */
export function chosenEncoding(label: string | undefined): string | null {
  return label === undefined || label === "" ? null : encodingName(label);
}

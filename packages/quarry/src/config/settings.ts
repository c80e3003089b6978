import { QuarryError } from "../errors/errors.js";
import { TUNABLES, tunableProblem, type Settings, type TunableName } from "./tunables.js";

/** The settings where nobody says otherwise. */
export const DEFAULT_SETTINGS: Settings = Object.freeze(
  Object.fromEntries(Object.entries(TUNABLES).map(([name, t]) => [name, t.default])) as Settings,
);

/**
 * Applies what was given over the defaults, once.
 * @throws QuarryError INVALID_ARGUMENT for an unknown name or a value out of bounds.
 */
export function resolveSettings(given: Partial<Settings> = {}): Settings {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(TUNABLES, name)) {
      throw new QuarryError(
        "INVALID_ARGUMENT",
        `unknown setting ${name}; known are ${Object.keys(TUNABLES).join(", ")}`,
        {
          argument: name,
        },
      );
    }
    const problem = tunableProblem(name as TunableName, value);
    if (problem !== null) throw new QuarryError("INVALID_ARGUMENT", problem, { argument: name });
  }
  return Object.freeze({ ...DEFAULT_SETTINGS, ...given });
}

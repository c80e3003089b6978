// @ts-check
/** Which reasons for skipping a test are good ones. */

/** @type {Record<string, NodeJS.Platform>} */
const SYSTEMS = { Linux: "linux", macOS: "darwin", Windows: "win32" };

/**
 * @param {string} reason What the test gave.
 * @param {{ strict: boolean, platform?: NodeJS.Platform, nodeMajor?: number }} options `strict`: only what this machine cannot be counts.
 * @returns {string | null} What is wrong with the skip; null for nothing.
 */
export function skipProblem(reason, options) {
  if (reason.trim() === "") return "is skipped without a reason";
  if (!options.strict) return null;
  const platform = options.platform ?? process.platform;
  const nodeMajor = options.nodeMajor ?? Number(process.versions.node.split(".", 1)[0]);
  const system = /^needs (Linux|macOS|Windows)\b/.exec(reason)?.[1];
  if (system !== undefined && SYSTEMS[system] !== platform) return null;
  const node = /^needs Node (\d+)\b/.exec(reason)?.[1];
  if (node !== undefined && nodeMajor < Number(node)) return null;
  return `is skipped where it should run: ${reason}`;
}

// @ts-check
/**
 * One page of matches in the text formats of Quarry's peers, as their public sources print them, for comparing tokens.
 *
 * @typedef {{ path: string, line: number, text: string }} Match
 * @typedef {(matches: readonly Match[], total: number, root: string) => string} Format
 */

/** @param {readonly Match[]} matches */
function byFile(matches) {
  /** @type {Map<string, Match[]>} */
  const files = new Map();
  for (const match of matches) files.set(match.path, [...(files.get(match.path) ?? []), match]);
  return files;
}

/** @type {Readonly<Record<string, Format>>} */
export const PEER_FORMATS = {
  "grouped, `Line N:`": (matches, total) =>
    [
      `Found ${total} matches`,
      ...[...byFile(matches)].flatMap(([path, some]) => [
        `${path}:`,
        ...some.map((m) => `  Line ${m.line}: ${m.text}`),
        "",
      ]),
    ].join("\n"),
  "`path:line:text`": (matches) => matches.map((m) => `${m.path}:${m.line}:${m.text}`).join("\n"),
  "absolute, numbered": (matches, total, root) =>
    [`Found ${total} matches`, ...matches.map((m, i) => `${i + 1}. ${root}/${m.path}:${m.line}: ${m.text}`)].join("\n"),
  JSON: (matches, total) => JSON.stringify({ matches, total }),
};

/** For comparison: what `rg --heading` prints, which no peer's tool gives to a model as it stands. @type {Format} */
export const RG_HEADING = (matches) =>
  [...byFile(matches)].map(([path, some]) => [path, ...some.map((m) => `${m.line}:${m.text}`)].join("\n")).join("\n\n");

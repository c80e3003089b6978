// @ts-check
/** The results as bars: medians, with a line from the first quartile to the third, on a logarithmic scale. */

/** @typedef {import("./parts/part.js").PartResult} PartResult */
/** @typedef {{ label: string, q1: number, median: number, q3: number }} Bar */
/** @typedef {{ title: string, bars: Bar[] }} Group */

const WIDTH = 900;
const LEFT = 250;
const RIGHT = 90;
const BAR = 14;
const GAP = 26;
const TOP = 64;
/** Those in the pictures; the tables have everybody. */
const SHOWN = [
  "rg -n",
  "rg --json",
  "rg --files",
  "Quarry index, MCP",
  "Quarry kernel, MCP",
  "Quarry ripgrep, MCP",
  "Quarry wasm, MCP",
  "fff",
  "fff, page of 100",
  "dsh-tool-fs-search, published",
  "csearch",
];

/** @param {string} name */
function colour(name) {
  if (name.startsWith("Quarry index") || name.startsWith("quarry index")) return "#1a7f37";
  if (name.startsWith("Quarry")) return "#57ab5a";
  if (name.startsWith("rg")) return "#57606a";
  return "#bf8700";
}

/**
 * @param {readonly PartResult[]} results
 * @returns {{ size: string, part: string, name: string, svg: string }[]}
 */
export function picturesOf(results) {
  /** @type {Map<string, PartResult[]>} */
  const byPart = new Map();
  for (const result of results) {
    const key = `${result.size} ${result.part}`;
    byPart.set(key, [...(byPart.get(key) ?? []), result]);
  }
  return [...byPart.values()].flatMap((some) => {
    const { size, part } = /** @type {PartResult} */ (some[0]);
    const isMemory = part === "memory";
    const groups = some.map(({ title, rows }) => ({
      title,
      bars: rows
        .filter(({ name }) => part !== "warm" || SHOWN.includes(name))
        .map(({ name, ms, peakBytes = Number.NaN }) => {
          const mib = peakBytes / 2 ** 20;
          return isMemory ? { label: name, median: mib, q1: mib, q3: mib } : { label: name, ...ms };
        })
        .filter(({ median }) => median > 0),
    }));
    if (groups.every(({ bars }) => bars.length === 0)) return [];
    const heading = `${size}: ${isMemory ? "peak memory, MiB" : `${part}, milliseconds`}; shorter is better`;
    return [{ size, part, name: `${size}-${part}.svg`, svg: barChart(heading, groups) }];
  });
}

/**
 * @param {string} heading
 * @param {readonly Group[]} groups
 * @returns {string} SVG.
 */
function barChart(heading, groups) {
  const values = groups.flatMap(({ bars }) => bars.flatMap(({ q1, q3, median }) => [q1, q3, median]));
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const x = (/** @type {number} */ value) => LEFT + ((Math.log10(value) - low) / (high - low)) * (WIDTH - LEFT - RIGHT);
  const height = TOP + groups.reduce((sum, { bars }) => sum + GAP + bars.length * BAR, 0) + 20;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(10, 22, heading, 'font-size="15" font-weight="bold"'),
  ];
  for (let power = low; power <= high; power++) {
    const at = x(10 ** power).toFixed(1);
    parts.push(`<line x1="${at}" y1="${TOP - 14}" x2="${at}" y2="${height - 14}" stroke="#d8dee4"/>`);
    parts.push(text(Number(at), TOP - 20, label(10 ** power), 'text-anchor="middle" fill="#57606a"'));
  }
  let y = TOP;
  for (const { title, bars } of groups) {
    parts.push(text(10, y + 12, title, 'font-weight="bold"'));
    y += GAP - 8;
    for (const bar of bars) {
      const end = Math.max(x(bar.median), LEFT + 1);
      const middle = (y + BAR / 2 - 1).toFixed(1);
      parts.push(text(LEFT - 6, y + 10, bar.label, 'text-anchor="end"'));
      parts.push(
        `<rect x="${LEFT}" y="${y}" width="${(end - LEFT).toFixed(1)}" height="${BAR - 3}" fill="${colour(bar.label)}"/>`,
        `<line x1="${x(bar.q1).toFixed(1)}" y1="${middle}" x2="${x(bar.q3).toFixed(1)}" y2="${middle}" stroke="#1f2328"/>`,
      );
      parts.push(text(Math.max(end, x(bar.q3)) + 5, y + 10, label(bar.median), 'fill="#57606a"'));
      y += BAR;
    }
    y += 8;
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

/** @param {number} value */
function label(value) {
  return value >= 10 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(2)));
}

/** @param {number} x @param {number} y @param {string} content @param {string} [more] */
function text(x, y, content, more = "") {
  const safe = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<text x="${x}" y="${y}" ${more}>${safe}</text>`;
}

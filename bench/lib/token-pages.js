// @ts-check
/**
 * Three fixed pages of 100 matches: in many (50), some (12) and few (2) files. The tree is made, not copied, so that it is
 * the same on every machine: code as people write it, indented, with paths as deep as theirs.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FOLDERS = [
  "packages/server/src/routes",
  "packages/server/src/storage/postgres",
  "packages/web/src/components/editor",
  "packages/shared/src",
  "tools/release",
];
const NAMES = [
  "session",
  "invoice",
  "account",
  "document",
  "permission",
  "webhook",
  "search-index",
  "attachment",
  "comment",
  "workspace",
];
/** @type {readonly ((name: string, n: number) => string)[]} */
const LINES = [
  (name, n) => `import { requestContext${n} } from "../${name}/request-context.js";`,
  (name) =>
    `export async function load${title(name)}(id: string, requestContext: RequestContext): Promise<${title(name)} | null> {`,
  () => '  const transaction = await requestContext.database.begin({ isolation: "serializable" });',
  (_name, n) => `    if (requestContext.user.id !== row.ownerId) throw new HttpError(403, "not yours (${n})");`,
  (name) => `      logger.debug({ ${camel(name)}Id: id, trace: requestContext.traceId }, "loaded");`,
  () => "        return requestContext.cache.get(key) ?? (await fallback(key));",
  (_name, n) => `  // requestContext is null in tests that start no server (see #${1_000 + n})`,
  (name) => `\t\tawait queue.push("${name}.changed", { requestContext: serialise(requestContext), at: Date.now() });`,
];

/** @param {string} name */
function camel(name) {
  return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}

/** @param {string} name */
function title(name) {
  const text = camel(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What every matching line holds. */
export const PATTERN = "requestContext";

/** @type {readonly { readonly name: "many" | "some" | "few", readonly files: number }[]} */
export const PAGES = [
  { name: "many", files: 50 },
  { name: "some", files: 12 },
  { name: "few", files: 2 },
];

/**
 * Makes the tree of one page: 100 lines that match, spread evenly over `files` files, other lines between them.
 * @param {string} root
 * @param {number} files
 */
export function makePage(root, files) {
  let made = 0;
  for (let i = 0; i < files; i++) {
    const name = /** @type {string} */ (NAMES[i % NAMES.length]);
    const folder = /** @type {string} */ (FOLDERS[Math.floor(i / NAMES.length) % FOLDERS.length]);
    const until = Math.round((100 * (i + 1)) / files);
    /** @type {string[]} */
    const lines = [];
    for (; made < until; made++) {
      for (let gap = (made * 7) % 13; gap >= 0; gap--) lines.push(gap % 2 === 0 ? "" : "  step();");
      lines.push(/** @type {(name: string, n: number) => string} */ (LINES[made % LINES.length])(name, made));
    }
    const path = join(root, folder, `${name}-${i}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${lines.join("\n")}\n`);
  }
}

import {
  CST,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
} from "yaml";
import type { Problem } from "./problems.js";

/** What a YAML text holds: plain values, and the line of each key and value. */
export interface YamlContent {
  /** Objects have no prototype, so that no key means more than it says. */
  readonly value: unknown;
  /** The line of what stands at a path, or of the nearest thing around it. `key`: of a mapping's key. */
  lineOf(path: readonly PropertyKey[], what?: "key" | "value"): number;
}

/** Levels of lists and mappings in each other. The schema needs four; a tool's options may have some. */
const MAX_DEPTH = 16;

/**
 * Reads one YAML document that needs no more than its values: anchors, aliases and tags are refused, so nothing in it can
 * grow or mean a type of its own, and deep nesting is refused before a parser that recurses sees it.
 */
export function readYaml(text: string): YamlContent | readonly Problem[] {
  const early = hostile(text);
  if (early.length > 0) return early;
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const all: readonly Document.Parsed[] = Array.isArray(documents) ? documents : [];
  const problems = all.flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map((e) => ({ line: lines.linePos(e.pos[0]).line, text: `not valid YAML: ${e.message}` })),
  );
  const [first, second] = all;
  if (second !== undefined)
    problems.push({ line: lines.linePos(second.range[0]).line, text: "a second document; the file holds one" });
  if (problems.length > 0) return problems;
  return plain(lines, first?.contents ?? null);
}

/** What is refused before the text is understood. Token by token, without recursion. */
function hostile(text: string): Problem[] {
  const problems: Problem[] = [];
  let line = 1;
  let flow = 0;
  let inLine = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    const type = scalar ? "scalar" : CST.tokenType(token);
    scalar = token === CST.SCALAR;
    if (type === "anchor" || type === "alias" || type === "tag")
      problems.push({ line, text: `${type}s are not taken; write the value itself` });
    if (type === "directive-line") problems.push({ line, text: "directives are not taken" });
    if (type === "flow-seq-start" || type === "flow-map-start") flow++;
    if (type === "flow-seq-end" || type === "flow-map-end") flow--;
    if (type === "seq-item-ind" || type === "explicit-key-ind") inLine++;
    if (flow > MAX_DEPTH || inLine > MAX_DEPTH) return [...problems, { line, text: TOO_DEEP }];
    const ends = token.split("\n").length - 1;
    line += ends;
    if (ends > 0) inLine = 0;
  }
  return problems;
}

const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

function plain(counter: LineCounter, root: Node | null): YamlContent | readonly Problem[] {
  const lines = new Map<string, number>();
  const problems: Problem[] = [];
  const lineAt = (node: Node): number => counter.linePos(node.range?.[0] ?? 0).line;
  const read = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (!isNode(node)) return null;
    lines.set(pathKey(path), lineAt(node));
    if (path.length > MAX_DEPTH) {
      problems.push({ line: lineAt(node), text: TOO_DEEP });
      return null;
    }
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item, i) => read(item, [...path, i]));
    if (!isMap(node)) return null;
    const object = Object.create(null) as Record<string, unknown>;
    for (const { key, value } of node.items) {
      if (!isScalar(key)) {
        problems.push({ line: isNode(key) ? lineAt(key) : lineAt(node), text: "a key must be a plain name" });
        continue;
      }
      const name = String(key.value);
      lines.set(pathKey([...path, name], "key"), lineAt(key));
      object[name] = read(value, [...path, name]);
    }
    return object;
  };
  const value = read(root, []);
  if (problems.length > 0) return problems;
  return {
    value,
    lineOf(path, what = "value") {
      for (let n = path.length; n > 0; n--) {
        const key = lines.get(pathKey(path.slice(0, n), "key"));
        const line = what === "key" && n === path.length ? key : (lines.get(pathKey(path.slice(0, n))) ?? key);
        if (line !== undefined) return line;
      }
      return lines.get(pathKey([])) ?? 1;
    },
  };
}

function pathKey(path: readonly PropertyKey[], what = "value"): string {
  return JSON.stringify([what, ...path]);
}

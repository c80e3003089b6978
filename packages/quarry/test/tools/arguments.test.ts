import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorkspace, tools, type Tool } from "#src/index.js";
import { makeTree } from "../support/tree.js";

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Property[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly items?: Property;
}
interface Schema {
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

const root = makeTree({ "a.txt": "a\n" });
const workspace = await createWorkspace({ mounts: [{ host: root, access: "write" }] });
const all = Object.values(tools(workspace, { artifacts: false, write: true })) as readonly Tool[];
const schemaOf = (tool: Tool): Schema => tool.inputSchema as unknown as Schema;

/** Arguments that are right, to be spoilt one at a time. */
function valid(tool: Tool): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of schemaOf(tool).required ?? [])
    given[name] = name === "edits" ? [{ old_str: "a", new_str: "b" }] : "a.txt";
  return given;
}

/** Values that a property must not take, as its own schema says. */
function wrong(property: Property): unknown[] {
  const kinds = new Set((property.anyOf ?? [property]).map((one) => one.type));
  const values: unknown[] = [null, { x: 1 }];
  if (!kinds.has("string")) values.push("text", "");
  else values.push("a\0b");
  if (!kinds.has("boolean")) values.push(true);
  if (!kinds.has("array")) values.push(["a"]);
  else values.push([], [1], [["a"]]);
  if (!kinds.has("integer")) values.push(1, 0);
  else {
    values.push(1.5, "1", Number.NaN, Number.POSITIVE_INFINITY);
    if (property.minimum !== undefined && property.minimum > -1) values.push(property.minimum - 1, -1);
    if (property.maximum !== undefined && property.maximum < Number.MAX_SAFE_INTEGER) values.push(property.maximum + 1);
  }
  if (property.enum !== undefined) values.push("none-of-these", "");
  if ((property.minLength ?? 0) > 0) values.push("");
  return values;
}

async function refused(tool: Tool, args: unknown): Promise<{ argument: string; message: string }> {
  const result = await tool.call(args);
  const said = `${tool.name} ${JSON.stringify(args)}: ${result.text}`;
  assert.ok(result.isError, said);
  assert.equal(result.value.error.code, "INVALID_ARGUMENT", said);
  assert.match(result.text, /^Error INVALID_ARGUMENT: /);
  return { argument: result.value.error.argument ?? "", message: result.text };
}

for (const tool of all) {
  test(`${tool.name}: every argument of a wrong type or range is refused by its name, with what is accepted`, async () => {
    const { properties } = schemaOf(tool);
    assert.ok(Object.keys(properties).length > 0);
    for (const [name, property] of Object.entries(properties)) {
      for (const value of wrong(property)) {
        const { argument, message } = await refused(tool, { ...valid(tool), [name]: value });
        assert.ok(argument === name || argument.startsWith(`${name}[`), `${message} names ${argument}, not ${name}`);
        assert.match(message, /accepted (is|are) \S/, message);
        for (const one of property.enum ?? [])
          assert.ok(message.includes(JSON.stringify(one)), `${message} lists ${one}`);
        if (property.type === "integer") assert.match(message, /a whole number from/);
      }
    }
  });

  test(`${tool.name}: what is missing is named, and unknown arguments are refused with the known ones`, async () => {
    const { properties, required = [], additionalProperties } = schemaOf(tool);
    assert.equal(additionalProperties, false);
    for (const name of required) {
      const { [name]: _, ...rest } = valid(tool);
      const { argument, message } = await refused(tool, rest);
      assert.equal(argument, name);
      assert.match(message, /is missing/);
    }
    for (const name of ["Pattern", "file_path", "-x", "__proto__x", "toString", "constructor", ""]) {
      const { argument, message } = await refused(tool, { ...valid(tool), [name]: 1 });
      assert.equal(argument, name);
      for (const known of Object.keys(properties)) assert.ok(message.includes(known), message);
    }
    for (const args of ["text", 1, [], true]) assert.equal((await refused(tool, args)).argument, "arguments");
  });
}

test("an empty string for what narrows a search is the same as leaving it out", async () => {
  const { grep } = tools(workspace, { artifacts: false });
  const plain = await grep.call({ pattern: "a" });
  const empty = await grep.call({ pattern: "a", path: "", glob: "", exclude: "", type: "", encoding: "" });
  assert.equal(empty.text, plain.text);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { connect, quarryServer } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";

const root = makeTree({ "a.txt": "a" });

/** Keywords of JSON Schema 2020-12 (core, applicator, validation, meta-data) that need no resolution. */
const KEYWORDS = new Set(
  "type enum const properties required additionalProperties items anyOf oneOf allOf not minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems title description default examples deprecated format".split(
    " ",
  ),
);

/** Every schema in a schema, with its place. */
function* schemasIn(schema: unknown, place: string): Generator<readonly [string, Record<string, unknown>]> {
  if (typeof schema === "boolean") return;
  assert.ok(typeof schema === "object" && schema !== null && !Array.isArray(schema), place);
  const one = schema as Record<string, unknown>;
  yield [place, one];
  for (const [name, value] of Object.entries((one["properties"] ?? {}) as object))
    yield* schemasIn(value, `${place}.${name}`);
  for (const key of ["items", "additionalProperties", "not"])
    if (one[key] !== undefined) yield* schemasIn(one[key], `${place}/${key}`);
  for (const key of ["anyOf", "oneOf", "allOf"])
    for (const value of (one[key] ?? []) as unknown[]) yield* schemasIn(value, `${place}/${key}`);
}

for (const structured of [false, true]) {
  test(`fault-75: schemas that strict clients take${structured ? ", output schemas too" : ""}`, async () => {
    const client = await connect(
      "v1",
      quarryServer(["--root", root, "--allow-write", ...(structured ? ["--structured"] : [])]),
    );
    try {
      const tools = await client.tools();
      assert.equal(tools.length, 7);
      for (const tool of tools) {
        assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
        assert.equal(tool["outputSchema"] !== undefined, structured);
        for (const key of ["inputSchema", ...(structured ? ["outputSchema"] : [])]) {
          const whole = tool[key] as Record<string, unknown>;
          assert.equal(whole["type"], "object");
          for (const union of ["anyOf", "oneOf", "allOf", "not", "enum", "const"])
            assert.equal(whole[union], undefined, `${tool.name}: no top-level ${union}`);
          for (const [place, schema] of schemasIn(whole, `${tool.name} ${key}`)) {
            for (const keyword of Object.keys(schema)) assert.ok(KEYWORDS.has(keyword), `${place} has ${keyword}`);
            if (schema["type"] === "object")
              assert.equal(typeof schema["properties"], "object", `${place} has properties`);
            if (schema["type"] === "array") assert.ok(schema["items"] !== undefined, `${place} has items`);
            for (const name of (schema["required"] ?? []) as string[])
              assert.ok(name in (schema["properties"] as object), `${place} requires ${name}`);
          }
        }
      }
    } finally {
      await client.close();
    }
  });
}

test("the definitions of the default set take less than 1,600 tokens (o200k)", async () => {
  const client = await connect("v1", quarryServer(["--root", root]));
  try {
    const shown = (await client.tools()).map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const tokens = countTokens(JSON.stringify(shown)) + countTokens(client.instructions() ?? "");
    assert.ok(tokens < 1_600, `${tokens} tokens`);
    // What models do not see (titles, annotations) fits as well.
    assert.ok(countTokens(JSON.stringify(await client.tools())) < 1_600);
  } finally {
    await client.close();
  }
});

test("annotations and titles say which tools only read", async () => {
  const client = await connect("v2", quarryServer(["--root", root, "--allow-write"]));
  try {
    assert.match(client.instructions() ?? "", /glob finds files by name.*grep finds lines.*read before you edit/);
    for (const tool of await client.tools()) {
      assert.ok((tool["title"] as string).length > 0);
      const reads = ["grep", "glob", "read_file", "ls"].includes(tool.name);
      assert.deepEqual(tool["annotations"], {
        title: tool["title"],
        readOnlyHint: reads,
        destructiveHint: !reads,
        idempotentHint: reads,
        openWorldHint: false,
      });
    }
  } finally {
    await client.close();
  }
});

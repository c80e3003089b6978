import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { StructuredToolInterface } from "@langchain/core/tools";
import fc from "fast-check";
import { langchainTools } from "#src/adapters/langchain.js";
import { deerflowTools } from "#src/tools/deerflow.js";
import type { Tool } from "#src/tools/tool.js";
import { place, ROOT } from "../deerflow/place.js";
import { generatedRuns } from "../support/cases.js";

const { sandbox } = await place({ "a.txt": "needle\nother\n", "b/c.txt": "needle\n" });
const reading = deerflowTools({ sandbox });

test("generated arguments: a tool call is answered with just what the tool says itself", async (t) => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      ROOT,
      `${ROOT}/b`,
      `${ROOT}/a.txt`,
      "needle",
      "*.txt",
      "**/c.*",
      "(",
      "",
      null,
      true,
      1,
      0,
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const names = [
    "pattern",
    "path",
    "glob",
    "literal",
    "max_results",
    "start_line",
    "include_dirs",
    "description",
    "other",
  ];
  const args = fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }) },
    {
      weight: 4,
      arbitrary: fc.record({ pattern: value, path: fc.constant(ROOT), max_results: value }, { requiredKeys: ["path"] }),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  );
  const made = langchainTools(reading);
  const at = fc.nat({ max: reading.length - 1 });
  await fc.assert(
    fc.asyncProperty(at, args, async (i, given) => {
      const [tool, adapted] = [reading[i] as Tool, made[i] as StructuredToolInterface];
      const expected = await tool.call(given);
      const toolCall = { type: "tool_call" as const, id: "1", name: tool.name, args: given as ToolCall["args"] };
      const { text, status, artifact, tool_call_id } = (await adapted.invoke(toolCall)) as ToolMessage;
      const said = { isError: status === "error", text, value: artifact as unknown };
      assert.deepEqual(said, { isError: expected.isError, text: expected.text, value: expected.value });
      assert.equal(tool_call_id, "1");
    }),
    generatedRuns(t, 150),
  );
});

/** What an agent sees of the tools: their schemas, answers, errors, and that nothing of a call is lost or made up on the way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { langchainTools, type LangchainProgress } from "#src/adapters/langchain.js";
import { deerflowTools } from "#src/tools/deerflow.js";
import { PROFILES, profileTools } from "#src/tools/profiles.js";
import type { Tool, ToolResult } from "#src/tools/tool.js";
import { place, ROOT } from "../deerflow/place.js";
import { importsOf, repositoryFiles, textOf } from "../structure/sources.js";
import { runAgent, type Run, type Script, type Step } from "./agent.js";

const { sandbox, workspace } = await place({ "a.txt": "needle\nother\n", "b/c.txt": "needle\n" }, { write: true });
const own = deerflowTools({ sandbox, write: true });
const GREP: Step = { name: "grep", args: { pattern: "needle", path: ROOT } };
const FOUND = `Found 2 matches under ${ROOT}\n${ROOT}/a.txt:1: needle\n${ROOT}/b/c.txt:1: needle`;

/** The agent makes these calls, one after the other. */
function calls(...steps: readonly Step[]): Promise<Run> {
  return runAgent(langchainTools(own), script(steps), { recursionLimit: 100 });
}

function* script(steps: readonly (Step | readonly Step[])[]): Script {
  for (const step of steps) yield step;
}

/** A tool that answers with this, and what it was called with. */
function fake(
  result: Partial<ToolResult<unknown>>,
  during: (options: Parameters<Tool["call"]>[1]) => void = () => {},
): Tool {
  const done = { isError: false, text: "said", value: { n: 1 }, complete: true, empty: false } as const;
  return {
    ...(own[2] as Tool),
    call: (_args, options) => {
      during(options);
      return Promise.resolve({ ...done, ...result } as ToolResult<unknown>);
    },
  };
}

test("what a provider is sent is the tool's own name, description and JSON Schema, in every profile; changing it changes no other face", async () => {
  for (const profile of PROFILES) {
    const tools = await profileTools(workspace, profile, { artifacts: false, write: true });
    const made = langchainTools(tools);
    const sent = made.map((tool) => convertToOpenAITool(tool));
    const expected = tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    }));
    assert.ok(sent.length > 1);
    assert.deepEqual(sent, expected, profile);
    const before = structuredClone(tools[0]?.inputSchema);
    Object.assign(made[0]?.schema as object, { properties: {} });
    assert.deepEqual(tools[0]?.inputSchema, before);
  }
});

test("an answer is the tool's text, its value is the artifact, and several calls at once are each answered under their id", async () => {
  const glob: Step = { name: "glob", args: { pattern: "*.txt", path: ROOT, max_results: 1 } };
  const { answers, offered, last } = await runAgent(langchainTools(own), script([GREP, [glob, GREP]]));
  assert.deepEqual(
    offered.map((tool) => tool.function.name),
    own.map(({ name }) => name),
  );
  assert.deepEqual(
    answers.map(({ tool_call_id, name, status }) => [tool_call_id, name, status]),
    [
      ["call-1", "grep", "success"],
      ["call-2", "glob", "success"],
      ["call-3", "grep", "success"],
    ],
  );
  assert.equal(answers[0]?.text, FOUND);
  const direct = await own[2]?.call(GREP.args);
  assert.deepEqual(answers[0]?.artifact, direct?.value);
  assert.match(answers[1]?.text ?? "", /^Found 1 paths .*\(showing first 1\)/);
  assert.equal(last, "done");
});

test("[B-022] an error comes back as the text of the tool, marked as an error, and the loop goes on", async () => {
  const { answers } = await calls(
    { name: "grep", args: { pattern: "needle", path: `${ROOT}/absent` } },
    { name: "grep", args: { pattern: "(", path: ROOT } },
    { name: "str_replace", args: { path: `${ROOT}/a.txt`, old_str: "absent", new_str: "" } },
    { name: "read_file", args: { path: "/etc/passwd" } },
    GREP,
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    ["error", "error", "error", "error", "success"],
  );
  const [absent, pattern, text, outside] = answers.map((one) => one.text);
  assert.match(absent ?? "", /^Error: "\/mnt\/user-data\/workspace\/absent" does not exist\. Check the path with ls/);
  assert.match(pattern ?? "", /^Error: Invalid regex pattern: /);
  assert.match(text ?? "", /^Error: .*Read the file again/);
  assert.match(outside ?? "", /^Error: .*is not inside the workspace\. Its roots are \/mnt\/user-data\/workspace\.$/);
  assert.deepEqual(code(answers[0]), "NOT_FOUND");
  assert.equal(answers[4]?.text, FOUND);
});

test("[B-008] hostile arguments get the tool's own words, not the library's, and the next call is answered", async () => {
  const good = { pattern: "needle", path: ROOT };
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{}, /^Error: pattern is missing; accepted is a string/],
    [null, /^Error: pattern is missing/],
    [undefined, /^Error: pattern is missing/],
    ["needle", /^Error: arguments is "needle"; accepted is an object with pattern, path/],
    [7, /^Error: arguments is 7; accepted is an object/],
    [[good], /^Error: arguments is \[.*; accepted is an object/],
    [{ ...good, pattern: 5 }, /^Error: pattern is 5; accepted is a string/],
    [{ ...good, path: "src" }, /^Error: .*absolute/],
    [{ ...good, path: { type: "tool_call" } }, /^Error: path is \{"type":"tool_call"\}; accepted is a string/],
    [{ ...good, max_results: "10" }, /^Error: max_results is "10"; accepted is a whole number/],
    [{ ...good, literal: 1 }, /^Error: literal is 1; accepted is true or false/],
    [{ ...good, regex: "x" }, /^Error: unknown argument "regex"; accepted are pattern, path/],
    [JSON.parse(`{"pattern":"a","path":"${ROOT}","__proto__":{}}`), /^Error: unknown argument "__proto__"/],
    [{ ...good, pattern: "a\0b" }, /^Error: pattern is "a\\u0000b"; accepted is a string that holds no NUL/],
    [{ type: "tool_call", id: "another", args: { ...good, pattern: 5 } }, /^Error: /],
  ];
  const { answers } = await calls(...cases.map(([args]) => ({ name: "grep", args })), GREP);
  assert.equal(answers.length, cases.length + 1);
  for (const [i, [args, expected]] of cases.entries()) {
    const { text, status, tool_call_id } = answers[i] as ToolMessage;
    assert.match(text, expected, JSON.stringify(args));
    assert.doesNotMatch(text, /expected schema|fix your mistakes|\n\s+at /);
    assert.deepEqual([status, code(answers[i]), tool_call_id], ["error", "INVALID_ARGUMENT", `call-${i + 1}`]);
  }
  assert.equal(answers.at(-1)?.text, FOUND);
});

test("a null for what is left out is as good as leaving it out", async () => {
  const { answers } = await calls({ name: "grep", args: { ...(GREP.args as object), glob: null, max_results: null } });
  assert.deepEqual([answers[0]?.status, answers[0]?.text], ["success", FOUND]);
});

test("without a tool call the answer is the text alone, of an error too", async () => {
  const grep = langchainTools(own)[2];
  assert.equal(await grep?.invoke(GREP.args), FOUND);
  assert.match((await grep?.invoke({ pattern: 1 })) as string, /^Error: pattern is 1/);
});

test("callbacks see each call: its arguments as they came, and the message that answers it", async () => {
  const seen: unknown[] = [];
  const callbacks = [
    {
      handleToolStart: (...[, input, , , , , name]: readonly unknown[]) =>
        void seen.push([name, JSON.parse(input as string)]),
      handleToolEnd: (output: ToolMessage) => void seen.push([output.status, output.text]),
    },
  ];
  const wrong: Step = { name: "ls", args: { path: 3 } };
  await runAgent(langchainTools(own), script([GREP, wrong]), { callbacks });
  assert.deepEqual(seen, [
    ["grep", GREP.args],
    ["success", FOUND],
    ["ls", wrong.args],
    [
      "error",
      "Error: path is 3; accepted is a string that is not empty and holds no NUL. Correct the named argument; the message lists what is accepted.",
    ],
  ]);
});

test("progress is told with the tool's name and the call's id", async () => {
  const told: LangchainProgress[] = [];
  const tool = fake({}, (options) => options?.onProgress?.({ files: 3, matches: 1 }));
  const made = langchainTools([tool], { onProgress: (progress) => told.push(progress) });
  await runAgent(made, script([GREP]));
  await made[0]?.invoke({});
  assert.deepEqual(told, [
    { tool: "grep", callId: "call-1", files: 3, matches: 1 },
    { tool: "grep", callId: null, files: 3, matches: 1 },
  ]);
});

test("a call that its signal cut short rejects with the signal's reason; one that was done by then still answers", async () => {
  const reason = new Error("the user went away");
  const error = { code: "ABORTED", message: "", remedy: "" } as const;
  const cut: readonly Partial<ToolResult<unknown>>[] = [{ isError: true, value: { error } }, { complete: false }];
  for (const result of cut) {
    const abort = new AbortController();
    const [tool] = langchainTools([fake(result, () => abort.abort(reason))]);
    await assert.rejects(async () => tool?.invoke({}, { signal: abort.signal }), reason);
    // An answer that is incomplete for another reason is an answer.
    assert.equal(await langchainTools([fake(result)])[0]?.invoke({}, { signal: new AbortController().signal }), "said");
  }
  const abort = new AbortController();
  const [tool] = langchainTools([fake({}, () => abort.abort(reason))]);
  assert.equal(await tool?.invoke({}, { signal: abort.signal }), "said");
});

test("nothing but the adapter names a package of LangChain", () => {
  const sources = repositoryFiles().filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file));
  const naming = sources.filter((file) => importsOf(textOf(file)).some((name) => name.startsWith("@langchain/")));
  assert.deepEqual(naming, ["packages/quarry/src/adapters/langchain.ts"]);
});

function code(message: ToolMessage | undefined): unknown {
  return (message?.artifact as { readonly error?: { readonly code: unknown } } | undefined)?.error?.code;
}

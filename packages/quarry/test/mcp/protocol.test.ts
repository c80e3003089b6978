import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { MAX_MESSAGE_BYTES } from "#src/mcp/wire.js";
import { CLIENTS, connect, descendants, eventually, isAlive, RawServer, scriptedServer } from "../support/mcp.js";

for (const kind of CLIENTS) {
  test(`${kind}: list, call, refusal, defect, unknown tool, resources`, async () => {
    const client = await connect(kind, scriptedServer({ cwd: "/x" }));
    try {
      const tools = await client.tools();
      assert.deepEqual(
        tools.map((t) => t.name),
        ["folders", "echo", "noisy", "refuses", "throws", "counts", "spawns"],
      );
      assert.equal(tools[0]?.["title"], "Scripted folders");
      assert.deepEqual(tools[0]?.["annotations"], {
        title: "Scripted folders",
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      assert.match(client.instructions() ?? "", /INCOMPLETE/);
      assert.deepEqual(await client.call("echo", { text: "a\nb \u2028 \u{1f600}" }), {
        text: JSON.stringify({ text: "a\nb \u2028 \u{1f600}" }),
        isError: false,
        structured: undefined,
      });
      assert.equal((await client.call("echo")).isError, false);
      const refused = await client.call("refuses");
      assert.equal(refused.isError, true);
      assert.match(refused.text, /no such thing/);
      const defect = await client.call("throws");
      assert.equal(defect.isError, true);
      assert.match(defect.text, /unexpected failure/);
      assert.doesNotMatch(defect.text + client.stderr(), /secret/);
      await assert.rejects(client.call("rm_rf", {}), /rm_rf/);
      assert.deepEqual(await client.resources(), [
        { uri: "quarry:///%40artifacts/ab.txt", name: "@artifacts/ab.txt", size: 6, mimeType: "text/plain" },
      ]);
      assert.equal(await client.read("quarry:///%40artifacts/ab.txt"), "whole\n");
      await assert.rejects(client.read("quarry:///%40artifacts/cd.txt"));
      await assert.rejects(client.read("file:///etc/passwd"));
    } finally {
      await client.close();
    }
  });

  test(`${kind}: progress is told to who asked for it, growing, at most four times a second`, async () => {
    const client = await connect(kind, scriptedServer({ cwd: "/x" }));
    try {
      const told: { progress: number; at: number }[] = [];
      await client.call("counts", {}, { onprogress: ({ progress }) => told.push({ progress, at: performance.now() }) });
      assert.ok(told.length >= 2 && told.length <= 6, `${told.length} notifications in about a second`);
      told.slice(1).forEach((one, i) => assert.ok(one.progress > (told[i]?.progress ?? Infinity)));
    } finally {
      await client.close();
    }
  });

  test(`fault-53: ${kind}: a cancelled call ends its process, and others go on`, async () => {
    const client = await connect(kind, scriptedServer({ cwd: "/x" }));
    try {
      const abort = new AbortController();
      const cancelled = client.call("spawns", {}, { signal: abort.signal }).then(
        () => "answered",
        () => "cancelled",
      );
      await eventually(() => descendants(client.pid).length === 1, 20_000, "the process of the call is there");
      abort.abort();
      assert.equal(await cancelled, "cancelled");
      await eventually(() => descendants(client.pid).length === 0, 2_000, "no process is left");
      assert.equal((await client.call("echo", { text: "still here" })).text, '{"text":"still here"}');
    } finally {
      await client.close();
    }
  });

  test(`${kind}: the server and what it started end with the client`, async () => {
    const client = await connect(kind, scriptedServer({ cwd: "/x" }));
    void client.call("spawns").catch(() => undefined);
    await eventually(() => descendants(client.pid).length === 1, 20_000, "the process of the call is there");
    const [child] = descendants(client.pid);
    await client.close();
    await eventually(() => !isAlive(client.pid) && !isAlive(child as number), 10_000, "both are gone");
  });

  test(`${kind}: more calls than places wait their turn; a waiting call can be cancelled`, async () => {
    const client = await connect(kind, scriptedServer({ cwd: "/x", callsAtOnce: 2 }));
    try {
      const first = [new AbortController(), new AbortController()];
      const waiting = new AbortController();
      const held = first.map((abort) => client.call("spawns", {}, { signal: abort.signal }).catch(() => "cancelled"));
      await eventually(() => descendants(client.pid).length === 2, 20_000, "two run");
      const third = client.call("spawns", {}, { signal: waiting.signal }).catch(() => "cancelled");
      const fourth = client.call("echo", { text: "later" });
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(descendants(client.pid).length, 2);
      waiting.abort();
      assert.equal(await third, "cancelled");
      for (const abort of first) abort.abort();
      assert.deepEqual(await Promise.all(held), ["cancelled", "cancelled"]);
      assert.equal((await fourth).text, '{"text":"later"}');
      // The fourth needs one free place only: the process of the other place may take a moment longer to end.
      await eventually(() => descendants(client.pid).length === 0, 10_000, "both processes have ended");
    } finally {
      await client.close();
    }
  });

  test(`fault-74: ${kind}: what a tool prints does not reach the protocol`, async () => {
    const client = await connect(kind, scriptedServer({ cwd: "/x" }));
    try {
      assert.equal((await client.call("noisy")).text, "said nothing");
      assert.equal((await client.call("echo", {})).text, "{}");
      await eventually(
        () => /printed at start[^]*console\.log from a tool[^]*stdout\.write from a tool/.test(client.stderr()),
        10_000,
        "it is on stderr",
      );
    } finally {
      await client.close();
    }
  });
}

test("choice and prefix: what is not chosen is not there, and each tool answers to its prefixed name", async () => {
  const client = await connect("v1", scriptedServer({ cwd: "/x", only: ["echo", "folders"], prefix: "quarry_" }));
  try {
    assert.deepEqual(
      (await client.tools()).map((t) => t.name),
      ["quarry_folders", "quarry_echo"],
    );
    assert.equal((await client.call("quarry_echo", { text: "x" })).text, '{"text":"x"}');
    await assert.rejects(client.call("echo", {}), /quarry_echo/);
    await assert.rejects(client.call("quarry_noisy", {}));
  } finally {
    await client.close();
  }
});

test("structured: the value beside the text, errors too", async () => {
  for (const kind of CLIENTS) {
    const client = await connect(kind, scriptedServer({ cwd: "/x", structured: true }));
    try {
      await client.tools();
      assert.deepEqual((await client.call("echo", { text: "x" })).structured, { notes: ['{"text":"x"}'] });
      const refused = await client.call("refuses");
      assert.equal(refused.isError, true);
      assert.equal((refused.structured as { error: { code: string } }).error.code, "NOT_FOUND");
    } finally {
      await client.close();
    }
  }
});

test("fault-74: stdout holds only JSON-RPC, and bad input is answered with protocol errors", async () => {
  const server = new RawServer(scriptedServer({ cwd: "/x" }));
  server.send("this is not JSON");
  assert.equal((await server.message((m) => m.error?.code === -32700)).id, null);
  await server.initialize();
  server.send("[1,2,3]");
  server.send('{"jsonrpc":"1.0","id":7,"method":"ping"}');
  assert.equal((await server.message((m) => m.id === 7)).error?.code, -32600);
  server.send({ id: 8, method: "no/such/method" });
  assert.equal((await server.message((m) => m.id === 8)).error?.code, -32601);
  server.send({ id: 9, method: "tools/call", params: { name: "echo", arguments: "text" } });
  assert.equal((await server.message((m) => m.id === 9)).error?.code, -32602);
  server.send({ id: 10, method: "tools/call" });
  assert.equal((await server.message((m) => m.id === 10)).error?.code, -32602);
  server.send({ id: 11, method: "tools/call", params: { name: "__proto__", arguments: {} } });
  assert.equal((await server.message((m) => m.id === 11)).error?.code, -32602);
  server.send({
    id: 12,
    method: "tools/call",
    params: { name: "echo", arguments: JSON.parse('{"__proto__":{"x":1},"constructor":1}') as object },
  });
  await server.message((m) => m.id === 12);
  server.send({ method: "notifications/cancelled", params: { requestId: "never was" } });
  server.send({ id: 99, result: { unasked: true } });
  server.child.stdin.write('\r\n\n{"jsonrpc":"2.0",');
  server.child.stdin.write('"id":13,"method":"ping"}\r\n');
  await server.message((m) => m.id === 13);
  server.child.stdin.end();
  assert.equal(await server.ended(), 0);
  assert.ok(server.messages().length >= 10);
});

test("a message that is too long is refused, and the next one is answered", async () => {
  const server = new RawServer(scriptedServer({ cwd: "/x" }));
  await server.initialize();
  const long = (length: number): string =>
    `{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"echo","arguments":{"text":"${"x".repeat(length)}"}}}`;
  server.send(long(MAX_MESSAGE_BYTES + 1_000));
  assert.match((await server.message((m) => m.error?.code === -32600)).error?.message ?? "", /bytes/);
  server.send(long(5_000_000));
  const { result } = await server.message((m) => m.id === "long");
  assert.ok(JSON.stringify(result).length > 5_000_000);
  server.child.kill("SIGTERM");
  assert.equal(await server.ended(), 0);
});

for (const how of ["end of stdin", "closed stdout", "SIGTERM", "SIGINT", "SIGHUP"] as const) {
  test(`the process ends with its client, and leaves no child: ${how}`, async () => {
    const server = new RawServer(scriptedServer({ cwd: "/x" }));
    await server.initialize();
    server.send({ id: 1, method: "tools/call", params: { name: "spawns", arguments: {} } });
    const pid = server.child.pid as number;
    await eventually(() => descendants(pid).length === 1, 20_000, "the process of the call is there");
    const [child] = descendants(pid);
    if (how === "end of stdin") server.child.stdin.end();
    else if (how === "closed stdout") {
      server.child.stdout.destroy();
      server.send({ id: 2, method: "ping" });
    } else server.child.kill(how);
    assert.equal(await server.ended(), 0);
    assert.equal(isAlive(child as number), false);
  });
}

test("the process ends when its parent is killed, even where somebody else holds the pipe", async () => {
  // The middle process hands on its stdin and stdout, which this test holds open; then it is killed.
  const script = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ${JSON.stringify(scriptedServer({ cwd: "/x" }).args)}, { stdio: ["inherit", "inherit", "ignore"] });
    require("node:fs").writeSync(1, "pid " + child.pid + "\\n");
    setInterval(() => {}, 1000);`;
  const middle = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "ignore"] });
  let said = "";
  middle.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  middle.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await eventually(() => /^pid \d+$/m.test(said) && said.includes('"id":1'), 20_000, "the server answers");
  const pid = Number(/^pid (\d+)$/m.exec(said)?.[1]);
  assert.ok(isAlive(pid));
  middle.kill("SIGKILL");
  await eventually(() => !isAlive(pid), 20_000, "the server is gone");
  middle.stdin.destroy();
});

test("before anything was said: the process ends at the end of stdin", async () => {
  const server = new RawServer(scriptedServer({ cwd: "/x" }));
  server.child.stdin.end();
  assert.equal(await server.ended(), 0);
  assert.deepEqual(server.lines, []);
});

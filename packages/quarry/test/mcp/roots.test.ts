import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { clientFolders, narrower, outermost } from "#src/mcp/roots.js";
import { CLIENTS, connect, eventually, scriptedServer, type TestClient } from "../support/mcp.js";
import { makeTree } from "../support/tree.js";

const root = makeTree({
  "work/a b/x.txt": "x",
  "work/a b/in/y.txt": "y",
  "work-evil/z.txt": "z",
  "other/o.txt": "o",
  link: { link: "work" },
  outward: { link: "other" },
});
const at = (path: string): string => `${root}/${path}`;
const uri = (path: string): string => pathToFileURL(at(path)).href;
const folders = async (client: TestClient): Promise<unknown> => {
  const called = await client.call("folders");
  return called.isError ? called.text : (JSON.parse(called.text) as unknown);
};

for (const kind of CLIENTS) {
  test(`fault-51: ${kind}: a client's roots narrow the command line's folders, and never widen them`, async () => {
    assert.match(uri("work/a b"), /a%20b$/);
    const cases: readonly [
      given: readonly string[],
      offered: readonly string[] | undefined,
      served: readonly string[],
    ][] = [
      [["work"], undefined, ["work"]],
      [["work"], [], ["work"]],
      [["work"], ["work/a b"], ["work/a b"]],
      [["work/a b"], ["work"], ["work/a b"]],
      [["work"], ["work", "other"], ["work"]],
      [["work"], ["work-evil", "work/a b"], ["work/a b"]],
      [
        ["work", "other"],
        ["work/a b", "other"],
        ["work/a b", "other"],
      ],
      [["work"], ["work/a b/in", "work/a b"], ["work/a b"]],
      [["link"], ["work/a b"], ["work/a b"]],
      [["work"], ["link"], ["work"]],
      [["work", "other"], ["."], ["work", "other"]],
      [[], ["work", "work/a b", "other"], ["work", "other"]],
    ];
    // The whole table with one client; of it what differs on the wire with the others.
    for (const [given, offered, served] of kind === "v1" ? cases : cases.slice(1, 4)) {
      const client = await connect(kind, scriptedServer({ roots: given.map(at), cwd: "/never" }), offered?.map(uri));
      try {
        const expected = offered === undefined || offered.length === 0 ? given.map(at) : served.map(at);
        assert.deepEqual(await folders(client), expected, JSON.stringify([given, offered]));
      } finally {
        await client.close();
      }
    }
  });

  test(`fault-51: ${kind}: nothing in common is a refusal with the reason, not an empty answer; host paths stay out`, async () => {
    const client = await connect(kind, scriptedServer({ roots: [at("work")] }), [uri("work-evil"), uri("outward")]);
    try {
      assert.ok((await client.tools()).length > 0);
      const refused = await client.call("folders");
      assert.equal(refused.isError, true);
      assert.match(refused.text, /no root of the client/);
      await eventually(() => client.stderr().includes("client root 1 of 2 ignored"), 10_000, "a log line");
      assert.ok(!(refused.text + client.stderr()).includes(root));
    } finally {
      await client.close();
    }
  });

  test(`fault-51: ${kind}: roots that change are honoured by the next call`, async () => {
    const client = await connect(kind, scriptedServer({ roots: [at("work"), at("other")] }), [uri("work")]);
    try {
      assert.deepEqual(await folders(client), [at("work")]);
      await client.setRoots([uri("other")]);
      assert.deepEqual(await folders(client), [at("other")]);
      await client.setRoots([]);
      assert.deepEqual(await folders(client), [at("work"), at("other")]);
    } finally {
      await client.close();
    }
  });

  test(`fault-58: ${kind}: no --root and no roots: the folder one is in, or a refusal to guess`, async () => {
    const here = await connect(kind, scriptedServer({ cwd: at("work") }));
    assert.deepEqual(await folders(here), [at("work")]);
    await here.close();
    const home = await connect(kind, scriptedServer({ cwd: null }));
    assert.ok((await home.tools()).length > 0);
    assert.match(String(await folders(home)), /home folder/);
    await home.close();
    const named = await connect(kind, scriptedServer({ cwd: null }), [uri("work")]);
    assert.deepEqual(await folders(named), [at("work")]);
    await named.close();
  });
}

test("roots that name no folder of this machine are ignored, each with its reason", () => {
  const odd = [
    "https://example.com/x",
    "file://elsewhere/share",
    "file:///no/such/folder",
    uri("other/o.txt"),
    "file:///a%2Fb",
    "file:///%ff",
    "",
    "nonsense",
    `${uri("work")}/%00`,
  ];
  const found = clientFolders([...odd, uri("work")]);
  assert.deepEqual(found.folders, [at("work")]);
  assert.equal(found.ignored.length, odd.length);
  for (const line of found.ignored) assert.ok(!line.includes(root));
});

test("a folder of the command line that does not exist is an error, not an empty workspace", () => {
  assert.throws(() => narrower([at("gone")], [at("work")]), { code: "NOT_FOUND" });
});

test("a boundary is a separator", () => {
  assert.deepEqual(outermost([at("work"), at("work-evil"), at("work/a b")]), [at("work"), at("work-evil")]);
});

test("a client that offers roots and never tells them is served the command line's folders, after a while", async () => {
  const { RawServer } = await import("../support/mcp.js");
  const server = new RawServer(scriptedServer({ roots: [at("work")] }));
  await server.initialize({ roots: {} });
  server.send({ id: 1, method: "tools/call", params: { name: "folders", arguments: {} } });
  const answer = await server.message((m) => m.id === 1);
  assert.deepEqual(answer.result?.["content"], [{ type: "text", text: JSON.stringify([at("work")]) }]);
  server.child.stdin.end();
  await server.ended();
});

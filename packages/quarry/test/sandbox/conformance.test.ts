/** Every provider obeys one suite: this machine's, the same behind the guard, and one that is reached through JSON alone. */
import { test } from "node:test";
import { guardedSandbox } from "#src/sandbox/guarded.js";
import { SANDBOX_CASES, type CaseEntry } from "#src/sandbox/conformance.js";
import type { Sandbox } from "#src/sandbox/sandbox.js";
import { place, ROOT } from "../deerflow/place.js";
import type { TreeSpec } from "../support/tree.js";
import { throughJson } from "./remote.js";

const PROVIDERS: Readonly<Record<string, (own: Sandbox) => Sandbox>> = {
  local: (own) => own,
  guarded: (own) => guardedSandbox(own),
  "remote, guarded": (own) => guardedSandbox(throughJson(own)),
};

for (const [name, wrap] of Object.entries(PROVIDERS)) {
  for (const one of SANDBOX_CASES) {
    const { title } = one;
    test(`[B-055][B-056] ${name}: ${title}`, async () => {
      const { sandbox } = await place(treeOf(one.files), { write: true });
      await one.run(wrap(sandbox), ROOT);
    });
  }
}

function treeOf(files: Readonly<Record<string, CaseEntry>>): TreeSpec {
  return Object.fromEntries(
    Object.entries(files).map(([path, entry]) => [path, entry instanceof Uint8Array ? Buffer.from(entry) : entry]),
  );
}

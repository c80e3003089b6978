import assert from "node:assert/strict";
import { test } from "node:test";
import { commandEnvironment } from "#src/executors/environment.js";

test("without a PATH the usual folders are searched; a request's own entries win", () => {
  assert.deepEqual(commandEnvironment({ HOME: "/h", X: "1", TZ: undefined }, []), {
    HOME: "/h",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    NO_COLOR: "1",
    TERM: "dumb",
  });
  assert.deepEqual(commandEnvironment({ PATH: "/p" }, ["/a", "/b"], { TERM: "xterm" }), {
    PATH: "/a:/b:/p",
    NO_COLOR: "1",
    TERM: "xterm",
  });
});

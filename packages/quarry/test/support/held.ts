import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { makeTree } from "./tree.js";

/**
 * A pipe on which a thread that opens it for reading waits inside the system, where no JavaScript engine can end it: what happens to
 * one that reads a file of a network file system whose server is gone. (The product itself never opens a pipe.)
 */
export function makeHold(): Hold {
  const pipe = join(makeTree({}), "pipe");
  execFileSync("mkfifo", [pipe]);
  return new Hold(pipe);
}

export class Hold {
  readonly pipe: string;

  constructor(pipe: string) {
    this.pipe = pipe;
  }

  /** Lets go whoever waits on it. Nobody does where the system says ENXIO. */
  release(): void {
    try {
      closeSync(openSync(this.pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
    }
  }
}

/**
 * Environment for a Node process whose worker threads are held by the system when they read a file of this name. A thread that is held
 * makes the file `marker` first.
 */
export function holdsReadsOf(
  name: string,
  hold: Hold,
): { readonly env: Record<string, string>; readonly marker: string } {
  const folder = makeTree({
    "hold.cjs": `
      const fs = require("node:fs");
      const read = fs.readSync;
      if (!require("node:worker_threads").isMainThread) fs.readSync = (fd, ...rest) => {
        if (fs.readlinkSync("/proc/self/fd/" + fd).endsWith(${JSON.stringify(`/${name}`)})) {
          fs.writeFileSync(__dirname + "/marker", "");
          fs.openSync(${JSON.stringify(hold.pipe)});
        }
        return read(fd, ...rest);
      };
      require("node:module").syncBuiltinESMExports();`,
  });
  return { env: { NODE_OPTIONS: `--require=${join(folder, "hold.cjs")}` }, marker: join(folder, "marker") };
}

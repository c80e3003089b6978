import { fork } from "node:child_process";
import { once } from "node:events";

/** A process that changes a tree at random, see `random-writer.ts`. */
export interface Changing {
  /** Makes one change, and settles when it is made. @returns what it was. */
  next(): Promise<string>;
  end(): void;
}

export function changing(root: string, seed: number): Changing {
  const child = fork(new URL("./random-writer.js", import.meta.url).pathname, [root, String(seed)]);
  return {
    next: async () => {
      child.send("next");
      const [name] = (await once(child, "message")) as [string];
      return name;
    },
    end: () => void child.kill(),
  };
}

/** What such a tree holds at first. */
export const CHANGING_TREE = Object.fromEntries(
  Array.from({ length: 90 }, (_, i) => [
    `${["", "d0/", "d1/", "d2/", "d0/d1/", "d1/d2/", "d2/d0/d1/"][i % 7]}${"abcde"[Math.floor(i / 7) % 5]}`,
    i % 3 === 0 ? "needle\n" : "nothing\n",
  ]),
);

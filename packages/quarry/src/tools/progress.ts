import type { CallOptions } from "./tool.js";

const EVERY_MS = 100;

/** Tells how far a call is, ten times a second at most. */
export function progressTeller(onProgress: CallOptions["onProgress"]): (files: number, matches: number) => void {
  if (onProgress === undefined) return () => undefined;
  let next = 0;
  return (files, matches) => {
    const now = performance.now();
    if (now < next) return;
    next = now + EVERY_MS;
    onProgress({ files, matches });
  };
}

const PARENT_CHECK_MS = 2_000;

/**
 * Watches for the signs that the client is gone, other than the end of stdin: a signal, or the death of the process that
 * started this one while something else still holds its end of the pipe.
 * @returns what stops watching.
 */
export function onClientGone(gone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) gone();
  }, PARENT_CHECK_MS);
  timer.unref();
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, gone);
  return () => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, gone);
  };
}

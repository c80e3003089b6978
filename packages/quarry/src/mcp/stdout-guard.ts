import { Writable } from "node:stream";

/**
 * Takes stdout for the protocol: from now on whatever else in the process writes there (`console.log`, a library) goes to
 * stderr, where it cannot break a message.
 * @returns the only way to the real stdout.
 */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      write(chunk, (error) => done(error ?? null));
    },
  });
  // The command line ends the process at once when its reader leaves; a server ends its calls first.
  stdout.removeAllListeners("error");
  stdout.on("error", (error) => protocol.destroy(error));
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return protocol;
}

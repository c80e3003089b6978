/**
 * A program that exchanges names as fast as it can until it is killed: `node swapper.js <root> <outside>`. In the root, `d` is now
 * a folder and now a link to `outside`, and `f.txt` now a file and now a link to a file there.
 */
import fs from "node:fs";

const [root = "", outside = ""] = process.argv.slice(2);
process.chdir(root);
/** Some of these fail when a write of the other side has come between; the next turn mends it. */
function turn(...steps: readonly (() => void)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
    }
  }
}
fs.writeSync(1, "ready");
// Whoever started it may be killed: it does not outlive them.
const parent = process.ppid;
while (process.ppid === parent) {
  turn(
    () => fs.renameSync("d", "d.real"),
    () => fs.symlinkSync(outside, "d"),
    () => fs.unlinkSync("f.txt"),
    () => fs.symlinkSync(`${outside}/a.txt`, "f.txt"),
  );
  turn(
    () => fs.unlinkSync("d"),
    () => fs.renameSync("d.real", "d"),
    () => fs.unlinkSync("f.txt"),
    () => fs.writeFileSync("f.txt", "one\n"),
  );
}

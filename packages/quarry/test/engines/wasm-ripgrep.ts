import { ripgrepModule } from "#src/engines/wasm/bytes.js";
import { Exited, Wasi } from "#src/engines/wasm/wasi.js";
import { WEB_ASSEMBLY, type WasmMemory } from "#src/engines/workers/webassembly.js";

/** Runs ripgrep's WebAssembly in this thread, over an empty folder, with any arguments. */
export async function runRipgrep(
  args: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly all: string }> {
  const module = await ripgrepModule();
  let stdout = "";
  let stderr = "";
  const wasi = new Wasi({
    args,
    count: 0,
    open: () => {
      throw new Error("there is no file");
    },
    input: () => 0,
    output: (bytes) => (stdout += Buffer.from(bytes).toString("utf8")),
    message: (bytes) => (stderr += Buffer.from(bytes).toString("utf8")),
    check: () => undefined,
    problem: () => undefined,
  });
  if (WEB_ASSEMBLY === null) throw new Error("no WebAssembly");
  const { exports } = new WEB_ASSEMBLY.Instance(module, { wasi_snapshot_preview1: wasi.imports() });
  const { memory, _start } = exports as { readonly memory: WasmMemory; readonly _start: () => void };
  wasi.use(memory);
  let code = 0;
  try {
    _start();
  } catch (error) {
    if (!(error instanceof Exited)) throw error;
    code = error.code;
  } finally {
    wasi.close();
  }
  return { code, stdout, all: stdout + stderr };
}

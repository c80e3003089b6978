/** What is kept of messages that are about no single file. */
const MESSAGE_BYTES = 8_192;

/** Reads ripgrep's standard error: complaints about one place are told, the start of the rest is kept. */
export class Messages {
  text = "";
  readonly #onComplaint: (complaint: string) => void;
  #tail = "";

  constructor(onComplaint: (complaint: string) => void) {
    this.#onComplaint = onComplaint;
  }

  /** @param ended nothing more comes. */
  push(text: string, ended = false): void {
    const lines = (this.#tail + text).split("\n");
    this.#tail = ended ? "" : (lines.pop() as string).slice(-65_536);
    for (const line of lines) {
      if (/^rg: .*\(os error \d+\)$/s.test(line)) this.#onComplaint(line.slice(4));
      else if (line !== "" && this.text.length < MESSAGE_BYTES) this.text += `${line.slice(0, MESSAGE_BYTES)}\n`;
    }
  }
}

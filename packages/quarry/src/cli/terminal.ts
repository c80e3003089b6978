import { styleText } from "node:util";

/** True where the stream is a terminal that wants colours (https://no-color.org). */
export function wantsColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
}

type Style = Parameters<typeof styleText>[0];

/** Styles text where `on`. */
export function paint(on: boolean, style: Style, text: string): string {
  return on ? styleText(style, text) : text;
}

const FRAMES = ["|", "/", "-", "\\"];

/**
 * Tells on a terminal's stderr that something takes longer than half a second. Writes nothing elsewhere.
 * @returns `update` for the words beside it, and `stop`, which leaves the line clean.
 */
export function spinner(stream: NodeJS.WriteStream = process.stderr): { update(text: string): void; stop(): void } {
  if (stream.isTTY !== true) return { update: () => undefined, stop: () => undefined };
  let text = "searching";
  let frame = 0;
  let drawn = false;
  const draw = (): void => {
    drawn = true;
    stream.write(`\r\u001b[K${FRAMES[frame++ % FRAMES.length] as string} ${text}`);
  };
  let timer: NodeJS.Timeout = setTimeout(() => {
    draw();
    timer = setInterval(draw, 100);
  }, 500);
  return {
    update: (next) => {
      text = next;
    },
    stop: () => {
      clearTimeout(timer);
      if (drawn) stream.write("\r\u001b[K");
    },
  };
}

import { FIRST_INHERITED, NOWHERE } from "./ground.js";
import type { RipgrepHost } from "./host.js";
import { cut, placesOf } from "./part.js";
import { RipgrepProcess } from "./process.js";

/** Runs a ripgrep program as child processes. It opens files by itself. */
export function processHost(binary: string): RipgrepHost {
  return {
    guarded: false,
    cut,
    places: (part, ground, framed) => {
      const { mount } = part.batch.target;
      return placesOf(part, ground.opener(mount), framed, FIRST_INHERITED + ground.standpoint(mount).inherit.length);
    },
    start: ({ args, part, places, ground, input, onChange, onComplaint }) => {
      const { cwd, inherit } = part === null ? NOWHERE : ground.standpoint(part.batch.target.mount);
      return new RipgrepProcess({
        binary,
        args,
        cwd,
        inherit: [...inherit, ...places.files.map((file) => file.fd)],
        input,
        onChange,
        onComplaint,
      });
    },
  };
}

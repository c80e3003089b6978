import { z } from "zod";
import { ENGINE_NAMES } from "../search/engine.js";
import { ACP_ROOT, PROFILES, READ_GROUP, SKILLS_ROOT, THREAD_FOLDERS, THREAD_ROOT, WRITE_GROUP } from "./choices.js";
import { TUNABLES, type TunableName } from "./tunables.js";

/*
 * The one declaration of `quarry.yaml`. The check, the errors' "accepted is", `docs/quarry.schema.json` and
 * `docs/configuration.md` come from it. `examples` are what the errors show.
 */

/*
 * Lengths are refinements, which run for values of the right type only. A length check of the library asks a value of
 * any type for its `length`, and one that is a mapping throws where it is compared.
 */
/** A text of at least one character, which the pattern asks for. */
const text = (most: number, pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .refine(({ length }) => length <= most)
    .meta({ minLength: 1, maxLength: most });

const list = <T extends z.ZodType>(item: T, most: number) =>
  z
    .array(item)
    .refine(({ length }) => length <= most)
    .meta({ maxItems: most });

const host = text(4_096, /^[^\0]+$/).meta({
  description: "An existing folder of this machine; a relative one starts at the configuration file.",
  examples: ["./docs"],
});

/** A path inside a folder: no `..`, no slash in front, no backslash. */
const INSIDE = /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\0\\]+$/;

const inside = text(4_096, INSIDE);

const access = (usual: "read-only" | "read-write") =>
  z.enum(["read-only", "read-write"]).default(usual).meta({ description: "What may be done there." });

const group = text(64, /^[a-z][a-z0-9_-]*(?::[a-z0-9_-]+)*$/).meta({ examples: [READ_GROUP, WRITE_GROUP] });

const limits = Object.fromEntries(
  Object.entries(TUNABLES).map(([name, t]) => [
    name,
    z.int().min(t.min).max(t.max).optional().meta({ description: t.help, default: t.default }),
  ]),
) as { readonly [K in TunableName]: z.ZodOptional<z.ZodInt> };

const mount = z.strictObject({
  path: text(1_024, /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/).meta({
    description:
      "The virtual folder that tools show and take. It may lie inside another mount, whose own folder of that name is then not seen.",
    examples: ["/mnt/docs"],
  }),
  host,
  access: access("read-only"),
  denied: list(inside.meta({ examples: ["secrets"] }), 1_000)
    .default([])
    .meta({ description: "Paths in the folder that nobody sees; they need not exist." }),
});

const tool = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .meta({ description: "The name a model calls it by.", examples: ["grep"] }),
  group: group.meta({ description: "The group that switches it on and off.", examples: [READ_GROUP] }),
  use: text(
    1_024,
    /^(?:quarry\/[a-z]+|\.{1,2}\/[^\0:\\]+|(?:@[\w.-]+\/)?[\w][\w.-]*(?:\/[\w.-]+)*):[A-Za-z_$][\w$]*$/,
  ).meta({
    description:
      "What the tool is, as module and export: `quarry/<profile>:<tool>` for one of Quarry's own, else a file of yours (from the configuration file on) or a package, whose export is a tool or a function that makes one.",
    examples: ["quarry/quarry:grep", "./tools.js:tickets"],
  }),
  max_results: z.int().min(1).max(TUNABLES.maxResults.max).optional().meta({
    description: "Most results of one call, which no call can lift. Only for tools that have results to count.",
  }),
  options: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: "Handed as it stands to a tool of your own." }),
});

/** What `quarry.yaml` may say. Defaults are filled in; nothing is read from the disk. */
export const CONFIG_SCHEMA = z
  .strictObject({
    profile: z
      .enum(PROFILES)
      .default("quarry")
      .meta({ description: "Whose tools are offered where `tools` lists none." }),
    engine: z
      .enum(["auto", ...ENGINE_NAMES])
      .default("auto")
      .meta({ description: "What searches." }),
    limits: z
      .strictObject(limits)
      .default({})
      .meta({ description: "Numbers to turn, under their names of settings.md." }),
    mounts: list(mount, 200).default([]).meta({ description: "Folders that tools can see, each under a virtual one." }),
    threads: z
      .strictObject({ host })
      .optional()
      .meta({
        description: `A folder for each thread, \`<host>/<thread>/{${THREAD_FOLDERS.join(",")}}\`, made when missing and shown as \`${THREAD_ROOT}/{${THREAD_FOLDERS.join(",")}}\`, read-write.`,
      }),
    skills: z
      .strictObject({
        host,
        disabled: list(inside.meta({ examples: ["public/foo"] }), 10_000)
          .default([])
          .meta({
            description: "Folders that are switched off: refused when named, left out of every search, and counted.",
          }),
      })
      .optional()
      .meta({ description: `Shown as \`${SKILLS_ROOT}\`, read-only.` }),
    acp_workspace: z
      .strictObject({ host, access: access("read-only") })
      .optional()
      .meta({ description: `Shown as \`${ACP_ROOT}\`.` }),
    tools: list(tool, 200)
      .optional()
      .meta({
        description: `The tools that are offered; where absent all of the profile, in the groups \`${READ_GROUP}\` and \`${WRITE_GROUP}\`.`,
      }),
    groups: list(group, 200).default([READ_GROUP]).meta({
      description: `The groups that are on. A caller may be given fewer of them, never more. Changing files needs a group with such tools here, and a read-write mount.`,
    }),
  })
  .meta({ title: "quarry.yaml", description: "What a caller of Quarry may see and do." });

/** The file's content after the check. */
export type ConfigFile = z.output<typeof CONFIG_SCHEMA>;

/** JSON Schema 2020-12 of the file, for editors and documentation. */
export function configJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(CONFIG_SCHEMA, { io: "input" });
}

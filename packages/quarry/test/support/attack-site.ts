import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "#src/config/file.js";
import { openConfigured } from "#src/tools/configured.js";
import type { EngineChoice } from "#src/tools/registry.js";
import type { Tool } from "#src/tools/tool.js";
import { makeTree } from "./tree.js";

/** Stands in every file that nobody may see. */
export const SECRET = "TOP-SECRET-CONTENT";
/** The names of those files: nothing may list one that was not asked for. */
export const SECRET_NAME = "zq-hidden-name.txt";

/** Mounts in each other, a thread beside another one, a denied and a disabled folder, and secrets around, behind and below them. */
export interface AttackedSite {
  readonly site: string;
  /** Host folder of the outer, read-write mount. */
  readonly root: string;
  /** Everything that no tool may change, by name, kind and content. */
  outside(): string;
  /** Takes away what an attack wrote where it may write: it may be named after a host path. */
  reset(): void;
  /** The tools of both profiles that write over one engine, and with `ripgrep` those of `dsh`. */
  tools(engine: EngineChoice): Promise<readonly Tool[]>;
  /** A folder of the mount is exchanged for a link that leads out, and back, until the end of `work`. */
  whileSwapping<R>(work: () => Promise<R>): Promise<R>;
}

const CONFIGURATION = (profile: string): string => `
profile: ${profile}
mounts:
  - { path: /mnt/docs, host: docs, access: read-write, denied: [denied, a/private] }
  - { path: /mnt/docs/api, host: api }
  - { path: /mnt/docs/b/deep, host: deep, access: read-write }
threads: { host: threads }
skills: { host: skills, disabled: [public/foo] }
acp_workspace: { host: acp }
groups: [file:read, file:write]
`;

/** Virtual folders that attacks begin with. */
export const VIRTUAL: readonly string[] = [
  "/mnt/docs/",
  "/mnt/docs/api/",
  "/mnt/docs/b/deep/",
  "/mnt/docs/b/",
  "/mnt/user-data/workspace/",
  "/mnt/user-data/",
  "/mnt/skills/",
  "/mnt/acp-workspace/",
  "/mnt/",
  "mnt/docs/",
];

/** Names that mean something in the site. */
export const NAMES: readonly string[] = [
  "a",
  "b",
  "deep",
  "api",
  "ok.txt",
  "real.txt",
  SECRET_NAME,
  "secret.txt",
  "denied",
  "private",
  "to-denied",
  "to-covered",
  "out",
  "outfile",
  "up",
  "abs",
  "slash",
  "in",
  "loop",
  "hang",
  "pipe",
  "swap",
  "-v",
  "public",
  "foo",
  "bar",
  "public/foo",
  "to-foo",
  "SKILL.md",
  "workspace",
  "uploads",
  "outputs",
  "t1",
  "t2",
  "threads",
  "outside",
  "docs",
  "docs-evil",
  "mnt",
  "user-data",
  "skills",
  "é",
];

export function makeAttackedSite(): AttackedSite {
  const site = makeTree({
    [`outside/${SECRET_NAME}`]: SECRET,
    [`docs-evil/${SECRET_NAME}`]: SECRET,
    "docs-evil/secret.txt": SECRET,
    "secret.txt": SECRET,
    "docs/ok.txt": "fine\n",
    "docs/a/b/ok.txt": "fine\n",
    "docs/b/ok.txt": "fine\n",
    "docs/-v": "dash\n",
    "docs/é/ok.txt": "fine\n",
    "docs/swap/ok.txt": "fine\n",
    [`docs/denied/${SECRET_NAME}`]: SECRET,
    [`docs/a/private/${SECRET_NAME}`]: SECRET,
    [`docs/api/${SECRET_NAME}`]: SECRET,
    [`docs/b/deep/${SECRET_NAME}`]: SECRET,
    "docs/out": { link: "../outside" },
    "docs/outfile": { link: `../outside/${SECRET_NAME}` },
    "docs/up": { link: ".." },
    "docs/in": { link: "a/b" },
    "docs/loop": { link: "loop" },
    "docs/hang": { link: "../outside/none" },
    "docs/to-denied": { link: "denied" },
    "docs/to-covered": { link: "api" },
    "docs/pipe": { fifo: true },
    "api/real.txt": "fine\n",
    "api/out": { link: "../outside" },
    "api/to-denied": { link: "../docs/denied" },
    "deep/real.txt": "fine\n",
    "deep/up": { link: "../docs/denied" },
    "skills/public/bar/SKILL.md": "fine\n",
    [`skills/public/foo/${SECRET_NAME}`]: SECRET,
    "skills/public/foo/SKILL.md": SECRET,
    "skills/to-foo": { link: "public/foo" },
    "acp/ok.txt": "fine\n",
    [`threads/t2/workspace/${SECRET_NAME}`]: SECRET,
    "threads/t1/workspace/ok.txt": "fine\n",
    "threads/t1/workspace/other": { link: "../../t2/workspace" },
  });
  symlinkSync(join(site, "outside"), join(site, "docs/abs"));
  symlinkSync("/", join(site, "docs/slash"));
  for (const profile of ["quarry", "deerflow", "dsh"])
    writeFileSync(join(site, `${profile}.yaml`), CONFIGURATION(profile));
  const root = join(site, "docs");
  const written = WRITABLE.map((name) => join(site, name));
  const first = new Map(
    written.flatMap((folder) => contentOf(Buffer.from(folder))).map((one) => [one.at.toString("latin1"), one.content]),
  );
  return {
    site,
    root,
    reset: () => written.forEach((folder) => resetTo(first, folder)),
    outside: () => hashOf(site),
    async tools(engine) {
      const opened = await Promise.all(
        // `dsh` has an engine of its own, which is ripgrep's program.
        ["quarry", "deerflow", ...(engine === "ripgrep" ? ["dsh"] : [])].map(async (profile) =>
          openConfigured(await loadConfig(join(site, `${profile}.yaml`)), { thread: "t1", engine }),
        ),
      );
      return opened.flatMap(({ tools }, i) => tools.map((tool) => ({ ...tool, title: `${i} ${tool.name}` })));
    },
    whileSwapping: (work) => whileSwapping(join(root, "swap"), join(site, "outside"), work),
  };
}

const WRITABLE = ["docs", "deep", "threads/t1"];

/** What stands below a folder: its path as bytes, since names need not be UTF-8. What is being swapped is left alone. */
interface Standing {
  readonly at: Buffer;
  /** Of a file. */
  readonly content: Buffer | null;
}

function contentOf(folder: Buffer): Standing[] {
  return readdirSync(folder, { encoding: "buffer" }).flatMap((name): Standing[] => {
    const at = Buffer.concat([folder, Buffer.from("/"), name]);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (name.equals(SWAPPED) || stat === undefined) return [];
    if (stat.isDirectory()) return [{ at, content: null }, ...contentOf(at)];
    return [{ at, content: stat.isFile() ? readFileSync(at) : null }];
  });
}

const SWAPPED = Buffer.from("swap");

function resetTo(first: ReadonlyMap<string, Buffer | null>, folder: string): void {
  for (const { at, content } of contentOf(Buffer.from(folder))) {
    const before = first.get(at.toString("latin1"));
    if (before === undefined) rmSync(at, { recursive: true, force: true });
    else if (before !== null && content !== null && !before.equals(content)) writeFileSync(at, before);
  }
}

/** What tools may change is left out: the read-write mounts, but for what is denied or covered in them. */
function hashOf(site: string): string {
  const hash = createHash("sha256");
  const look = (at: string): void => {
    for (const name of readdirSync(at).sort()) {
      const inner = join(at, name);
      const stat = lstatSync(inner);
      hash.update(`${inner}\0${stat.mode}\0`);
      if (stat.isDirectory()) look(inner);
      else hash.update(stat.isSymbolicLink() ? readlinkSync(inner) : readFileSync(inner));
    }
  };
  for (const name of ["outside", "docs-evil", "api", "skills", "acp", "threads/t2"]) look(join(site, name));
  for (const name of ["denied", "a/private", "api", "b/deep"]) look(join(site, "docs", name));
  hash.update(readdirSync(site).sort().join("\0")).update(readdirSync(join(site, "threads")).join("\0"));
  hash.update(readFileSync(join(site, "secret.txt")));
  return hash.digest("hex");
}

/** As in `test/workspace/swap.test.ts`, beside the work and not in turns with it. */
const SWAPPER = `
  const fs = require("node:fs");
  const [victim, real, link] = process.argv.slice(1);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  // Whoever started it may be killed: it does not outlive them.
  const parent = process.ppid;
  process.stdout.write("ready");
  while (process.ppid === parent) {
    Atomics.wait(pause, 0, 0, 1);
    try { fs.renameSync(victim, real); fs.renameSync(link, victim); } catch (error) { if (!error.syscall) throw error; }
    Atomics.wait(pause, 0, 0, 1);
    try { fs.renameSync(victim, link); fs.renameSync(real, victim); } catch (error) { if (!error.syscall) throw error; }
  }
`;

async function whileSwapping<R>(victim: string, outside: string, work: () => Promise<R>): Promise<R> {
  const aside = makeTree({});
  const link = join(aside, "link");
  symlinkSync(outside, link);
  const child = spawn(process.execPath, ["-e", SWAPPER, victim, join(aside, "real"), link], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  await once(child.stdout, "data");
  try {
    return await work();
  } finally {
    child.kill("SIGKILL");
    await closed;
  }
}

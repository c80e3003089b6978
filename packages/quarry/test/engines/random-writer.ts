/**
 * A process that changes a tree: one change for each message, told when it is done. `argv[2]` is the tree, `argv[3]` a seed.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";

const root = process.argv[2] as string;
let state = Number(process.argv[3]) >>> 0;

function random(n: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 4_294_967_296) * n);
}

const NAMES = ["a", "b", "c", "d", "e"];
const TEXTS = [
  "nothing\n",
  "needle!\n",
  "nothing here\n",
  "a needle is here\n",
  `${"long text\n".repeat(3_000)}needle\n`,
  "",
];

function folder(): string {
  const depth = random(4);
  return join(root, ...Array.from({ length: depth }, () => `d${random(3)}`));
}

function place(): string {
  return join(folder(), NAMES[random(NAMES.length)] as string);
}

function text(): string {
  return TEXTS[random(TEXTS.length)] as string;
}

const CHANGES: Readonly<Record<string, () => void>> = {
  write: () => fs.writeFileSync(place(), text()),
  restored: () => {
    const at = place();
    const { atime, mtime, size } = fs.statSync(at);
    fs.writeFileSync(at, (random(2) === 0 ? "needle!\n" : "nothing\n").padEnd(size, "x").slice(0, size));
    fs.utimesSync(at, atime, mtime);
  },
  append: () => fs.appendFileSync(place(), text()),
  inPlace: () => {
    const fd = fs.openSync(place(), "r+");
    fs.writeSync(fd, random(2) === 0 ? "needle!" : "nothing", 0);
    fs.closeSync(fd);
  },
  truncate: () => {
    const at = place();
    // Never longer: that would add NULs, and files with those are another matter.
    fs.truncateSync(at, Math.min(fs.statSync(at).size, random(5)));
  },
  remove: () => fs.rmSync(place()),
  replace: () => {
    const from = join(root, "temporary");
    fs.writeFileSync(from, text());
    fs.renameSync(from, place());
  },
  rename: () => fs.renameSync(place(), place()),
  exchange: () => {
    const [one, other] = [place(), place()];
    fs.renameSync(one, join(root, "temporary"));
    fs.renameSync(other, one);
    fs.renameSync(join(root, "temporary"), other);
  },
  link: () => fs.linkSync(place(), place()),
  symbolic: () => fs.symlinkSync(place(), place()),
  folder: () => {
    const at = folder();
    fs.mkdirSync(at, { recursive: true });
    fs.writeFileSync(join(at, "a"), text());
  },
  moveFolder: () => fs.renameSync(folder(), folder()),
  removeFolder: () => {
    const at = folder();
    if (at !== root && random(3) === 0) fs.rmSync(at, { recursive: true });
  },
  exchangeFolder: () => {
    const at = folder();
    if (at === root) return;
    fs.renameSync(at, join(root, "away"));
    fs.mkdirSync(at);
    fs.writeFileSync(join(at, "a"), text());
    if (random(2) === 0) fs.rmSync(join(root, "away"), { recursive: true });
  },
  ignore: () => {
    const rules = ["a\n", "d1/\n", "*\n!b\n", "", "/c\n"];
    fs.writeFileSync(join(folder(), ".ignore"), rules[random(rules.length)] as string);
  },
  many: () => {
    for (let i = 0; i < 60; i++) fs.writeFileSync(place(), text());
  },
  branch: () => {
    for (let i = 0; i < 30; i++) {
      const at = place();
      fs.rmSync(at, { force: true });
      fs.writeFileSync(at, text());
    }
  },
};

function git(...args: readonly string[]): void {
  execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "ignore" });
}

/** Where the tree is a repository with the branches `b0` to `b2`. What git refuses changes nothing, or a part. */
const GIT_CHANGES: Readonly<Record<string, () => void>> = {
  switchBranch: () => git("switch", "-qf", `b${random(3)}`),
  commit: () => {
    git("add", "-A");
    git("commit", "-qm", "change");
  },
  reset: () => git("reset", "-q", "--hard", `b${random(3)}`),
  stash: () => git("stash", "-qu"),
  unstash: () => git("stash", "pop", "-q"),
  clean: () => git("clean", "-qfd"),
  gitignore: () => fs.writeFileSync(join(folder(), ".gitignore"), ["a\n", "d1/\n", "*\n!b\n", ""][random(4)] as string),
};

const changes = { ...CHANGES, ...(fs.existsSync(join(root, ".git")) ? GIT_CHANGES : {}) };
const names = Object.keys(changes);

process.on("message", () => {
  const name = names[random(names.length)] as string;
  try {
    changes[name]?.();
  } catch (error) {
    // What is not there cannot be changed: that is a change of nothing.
    if (!(error instanceof Error && ("syscall" in error || "status" in error))) throw error;
  }
  process.send?.(name);
});

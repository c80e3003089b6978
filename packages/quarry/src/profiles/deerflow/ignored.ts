/** A kind of names that `ls`, `glob` and `grep` leave out, wherever they stand. */
export interface IgnoredGroup {
  readonly what: string;
  /** Plain names, or names with `*`. */
  readonly names: readonly string[];
}

/**
 * The one set that `ls`, `glob` and `grep` of the profile share, so that what one shows the others find. It is of base names, of
 * files and folders alike; `.gitignore` and hidden names play no part. `docs/deerflow.md` shows it.
 */
export const IGNORED: readonly IgnoredGroup[] = [
  { what: "Version control", names: [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"] },
  {
    what: "Dependencies and virtual environments",
    names: ["node_modules", "site-packages", ".venv", "venv", ".env", "env", ".tox", ".nox", ".eggs", "*.egg-info"],
  },
  { what: "Build output", names: ["dist", "build", "target", "out", ".next", ".nuxt", ".output", ".turbo"] },
  {
    what: "Caches",
    names: ["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".cache", "*.cache"],
  },
  { what: "Logs and temporary files", names: ["*.log", "logs", "*.tmp", "*.temp", "*.bak"] },
  { what: "Coverage reports", names: [".coverage", "coverage", "htmlcov", ".nyc_output"] },
  {
    what: "Editors",
    names: [".idea", ".vscode", ".project", ".classpath", ".settings", "*.swp", "*.swo", "*~"],
  },
  { what: "System files", names: [".DS_Store", "Thumbs.db", "desktop.ini", "*.lnk"] },
];

/**
 * Makes the test for a base name: plain names are looked up, the few with `*` are one regular expression.
 * @param folds letter case does not count (Windows); it does elsewhere.
 */
export function ignoredNames(folds: boolean): (name: string) => boolean {
  const fold = (name: string): string => (folds ? name.toLowerCase() : name);
  const all = IGNORED.flatMap((group) => group.names.map(fold));
  const plain = new Set(all.filter((name) => !name.includes("*")));
  // Each `*` stands at one end, so that the expression cannot go back and forth.
  const wild = new RegExp(
    `^(?:${all
      .filter((name) => name.includes("*"))
      .map(asExpression)
      .join("|")})$`,
    "su",
  );
  return (name) => {
    const folded = fold(name);
    return plain.has(folded) || wild.test(folded);
  };
}

/** True for a base name that the profile leaves out on this system. */
export const isIgnoredName = ignoredNames(process.platform === "win32");

/** True for the folders of version control systems: left out as well, and counted nowhere, since nobody means them. */
export function isVersionControl(name: string): boolean {
  return VERSION_CONTROL.has(process.platform === "win32" ? name.toLowerCase() : name);
}

const VERSION_CONTROL: ReadonlySet<string> = new Set(IGNORED[0]?.names);

function asExpression(glob: string): string {
  return glob.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
}

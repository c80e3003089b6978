/**
 * What a command sees of this process's environment: a list of what is allowed, so that no secret reaches it by being
 * unknown. `BASH_ENV`, exported functions and ripgrep's configuration are not on it either.
 */
const ALLOWED: readonly RegExp[] = [
  /^PATH$/,
  /^HOME$/,
  /^USER$/,
  /^LOGNAME$/,
  /^LANG$/,
  /^LC_[A-Z]+$/,
  /^TZ$/,
  /^TMPDIR$/,
  /^SystemRoot$/,
];

/**
 * @param ambient the environment of this process.
 * @param folders searched for programs before those of `PATH`'s own.
 * @param extra entries of the request: they win.
 */
export function commandEnvironment(
  ambient: NodeJS.ProcessEnv,
  folders: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(ambient)) {
    if (value !== undefined && ALLOWED.some((allowed) => allowed.test(name))) env[name] = value;
  }
  const path = [...folders, env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"];
  return { ...env, PATH: path.join(":"), NO_COLOR: "1", TERM: "dumb", ...extra };
}

export interface Config {
  readonly port: number;
  readonly retries: number;
}

// TODO: read a file
export function loadConfig(): Config {
  return { port: Number(process.env["PORT"] ?? 8080), retries: 3 };
}

import { loadConfig } from "./config.js";
import { createServer } from "node:http";

// TODO: close idle connections
export function startServer(): void {
  const config = loadConfig();
  const server = createServer((request, response) => {
    response.end(`hello from ${request.url ?? "/"}\n`);
  });
  server.listen(config.port);
}

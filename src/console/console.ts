/** The console: pages on which operators do what the command line can do, in a browser. */
import { fastifyCookie } from "@fastify/cookie";
import type { FastifyInstance } from "fastify";
import { CONSOLE_PATH } from "./console-path.ts";
import type { ConsoleOptions } from "./kit/options.ts";
import type { AnyPage } from "./kit/page.ts";
import { PageServer } from "./kit/serve/serve-pages.ts";
import { pages as allPages } from "./pages.ts";

export function addConsole(
  fastify: FastifyInstance,
  options: ConsoleOptions,
  pages: readonly AnyPage[] = allPages(options),
): void {
  const server = new PageServer(pages, options);
  for (const one of new Set(["", options.prefix]))
    void fastify.register(
      async (scope) => {
        // Cookies are parsed before the body is read, which is earlier than the plugin would do it.
        await scope.register(fastifyCookie, { hook: false });
        await server.serve(scope);
      },
      { prefix: `${one}${CONSOLE_PATH}` },
    );
}

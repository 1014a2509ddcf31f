/** Serves the files of the pages. They are read with the first request: programs never ask for any. */
import type { FastifyInstance } from "fastify";
import { ASSETS_PATH } from "#html/assets.ts";
import { importInTurns } from "./lazy-routes.ts";

/** `prefix` is the path of the service's base address. */
export function addAssetRoutes(fastify: FastifyInstance, prefix: string): void {
  for (const one of new Set(["", prefix]))
    fastify.get<{ Params: { readonly name: string } }>(
      `${one}${ASSETS_PATH}/:name`,
      async ({ params: { name } }, reply) => {
        const { findAsset } = await import("#html/served-assets.ts");
        // A page of another process may have asked for it: the scripts of single pages come with the pages.
        const asset = findAsset(name) ?? (await importInTurns("console").then(() => findAsset(name)));
        if (asset === null) return await reply.code(404).type("text/plain").send("Not found\n");
        return await reply.headers(asset.headers).send(asset.body);
      },
    );
}

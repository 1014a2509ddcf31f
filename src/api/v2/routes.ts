/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { listRoutes } from "./routes/lists.ts";

export const routes: readonly Route[] = [...listRoutes];

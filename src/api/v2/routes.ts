/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { blockRoutes } from "./routes/blocks.ts";
import { fieldRoutes } from "./routes/fields.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listRoutes } from "./routes/lists.ts";
import { meRoutes } from "./routes/users/me.ts";
import { userRoutes } from "./routes/users/users.ts";

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...blockRoutes,
  ...fieldRoutes,
  ...keyRoutes,
  ...listRoutes,
  ...meRoutes,
  ...userRoutes,
];

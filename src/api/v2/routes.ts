/** Every route of the API. */
import type { Route } from "./kit/route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { blockRoutes } from "./routes/blocks.ts";
import { fieldRoutes } from "./routes/fields.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listExportRoute } from "./routes/list-export.ts";
import { listRoutes } from "./routes/lists.ts";
import { batchRoute } from "./routes/subscribers/batch.ts";
import { oneSubscriberRoutes } from "./routes/subscribers/one-subscriber.ts";
import { subscriberRoutes } from "./routes/subscribers/subscribers.ts";

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...blockRoutes,
  ...fieldRoutes,
  ...keyRoutes,
  ...listRoutes,
  listExportRoute,
  ...subscriberRoutes,
  batchRoute,
  ...oneSubscriberRoutes,
];

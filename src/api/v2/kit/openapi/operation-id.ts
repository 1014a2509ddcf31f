/** The names of routes in the OpenAPI document, from which generators make the names of functions. */
import { camel } from "../camel.ts";
import type { Route } from "../route.ts";

/** camelCase words with dots between them, such as `subscriber.bulkPreview` and `job.list.installation`. */
export const operationId = ({ id, action, isOfInstallation }: Route): string =>
  [...(id ?? action.name).split(".").map(camel), ...(isOfInstallation === true ? ["installation"] : [])].join(
    ".",
  );

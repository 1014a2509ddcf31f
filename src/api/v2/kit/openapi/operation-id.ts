/** The names of routes in the OpenAPI document, from which generators make the names of functions. */
import type { Route } from "../route.ts";

/** camelCase words with dots between them, such as `subscriber.bulkPreview` and `job.list.installation`. */
export const operationId = ({ id, action, isOfInstallation }: Route): string =>
  `${id ?? action.name}${isOfInstallation === true ? ".installation" : ""}`;

/** The section "Subscribers". */
import { changePage } from "./change.ts";
import { personPages } from "./person/pages.ts";
import { subscribersPage } from "./subscribers.ts";

export const subscriberPages = [subscribersPage, changePage, ...personPages];

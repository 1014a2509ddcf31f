/** The pages about lists. */
import type { AnyPage } from "../../kit/page.ts";
import { deleteListPage } from "./delete-list.ts";
import { listsPage } from "./lists.ts";
import { newListPage } from "./new-list.ts";
import { addSubscriberPage } from "./one/add-subscriber.ts";
import { exportListPage } from "./one/export-list.ts";
import { listPage } from "./one/list.ts";
import { removeMemberPage } from "./one/remove-member.ts";
import { renameListPage } from "./rename-list.ts";

export const listPages: readonly AnyPage[] = [
  listsPage,
  newListPage,
  listPage,
  addSubscriberPage,
  removeMemberPage,
  exportListPage,
  renameListPage,
  deleteListPage,
];

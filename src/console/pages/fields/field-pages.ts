/** The pages about custom fields. */
import type { AnyPage } from "../../kit/page.ts";
import { deleteFieldPage } from "./delete-field.ts";
import { fieldsPage } from "./fields.ts";
import { newFieldPage } from "./new-field.ts";
import { renameFieldPage } from "./rename-field.ts";

export const fieldPages: readonly AnyPage[] = [fieldsPage, newFieldPage, renameFieldPage, deleteFieldPage];

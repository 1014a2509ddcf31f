/** Every page of the settings of an account, and of the installation what is alike there. */
import type { AnyPage } from "../../kit/page.ts";
import { auditLogPages } from "../audit-log/audit-log.ts";
import { senderPages } from "../senders/sender-pages.ts";
import { newUserPages } from "../users/new-user.ts";
import { userPages } from "../users/user.ts";
import { usersPages } from "../users/users.ts";
import { accountPage } from "./account.ts";
import { blocksPage } from "./blocks.ts";
import { addBlockPage, removeBlockPage } from "./change-block.ts";
import { deleteAccountPage } from "./delete-account.ts";
import { tokensPage } from "./tokens.ts";

export const settingsPages: readonly AnyPage[] = [
  accountPage,
  deleteAccountPage,
  ...senderPages,
  blocksPage,
  addBlockPage,
  removeBlockPage,
  ...usersPages,
  ...newUserPages,
  ...userPages,
  tokensPage,
  ...auditLogPages,
];

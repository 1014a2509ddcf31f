/** The pages about senders. */
import type { AnyPage } from "../../kit/page.ts";
import { changeSenderPage, deleteSenderPage, newKeyPage, newSenderPage } from "./change-sender.ts";
import { senderPage } from "./sender.ts";
import { sendersPage } from "./senders.ts";

export const senderPages: readonly AnyPage[] = [
  sendersPage,
  newSenderPage,
  senderPage,
  changeSenderPage,
  newKeyPage,
  deleteSenderPage,
];

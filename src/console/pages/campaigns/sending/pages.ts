/** The pages of campaigns that are composed here. */
import type { AnyPage } from "#console/kit/page.ts";
import type { Clock } from "#domain/clocks.ts";
import { composePage, editPage } from "./compose/compose.ts";
import { previewMessagePage, previewPage } from "./compose/preview.ts";
import { recipientsPage } from "./ledger/recipients.ts";
import { verifyPage } from "./ledger/verify.ts";
import { sendingEvents } from "./live.ts";
import { cancelPage, resumePage, retryPage } from "./steps/change-state.ts";
import { dryRunPage } from "./steps/dry-run.ts";
import { sendPage } from "./steps/send.ts";

export const sendingPages = (options: { readonly clock: Clock }): readonly AnyPage[] => [
  ...[composePage, editPage, previewPage, previewMessagePage],
  ...[sendPage, dryRunPage, resumePage, cancelPage, retryPage],
  ...[recipientsPage, verifyPage, sendingEvents(options)],
];

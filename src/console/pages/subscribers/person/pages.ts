/** The pages of one subscriber. */
import { downloadPage } from "./download.ts";
import { historyPage } from "./history/history.ts";
import { personPage } from "./person.ts";
import { resultsPage } from "./results.ts";
import { editPage } from "./steps/edit.ts";
import { erasePage } from "./steps/erase.ts";
import { reactivatePage } from "./steps/reactivate.ts";
import { unsubscribePage } from "./steps/unsubscribe.ts";

export const personPages = [
  personPage,
  editPage,
  historyPage,
  resultsPage,
  unsubscribePage,
  reactivatePage,
  erasePage,
  downloadPage,
];

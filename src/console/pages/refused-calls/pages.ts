/** The pages of refused calls. */
import type { AnyPage } from "../../kit/page.ts";
import { refusedCallPage } from "./call.ts";
import { refusalGroupPage } from "./group.ts";
import { refusedCallsPage } from "./refused-calls.ts";
import { dismissGroupPage, replayGroupPage } from "./whole-group.ts";

export const refusedCallPages: readonly AnyPage[] = [
  refusedCallsPage,
  refusalGroupPage,
  replayGroupPage,
  dismissGroupPage,
  refusedCallPage,
];

/** Every page of the console. */
import type { ConsoleOptions } from "./kit/context.ts";
import type { AnyPage } from "./kit/page.ts";
import { home } from "./pages/home.ts";

/** One line per section. */
export const pages = (_options: ConsoleOptions): readonly AnyPage[] => [home];

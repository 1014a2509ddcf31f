/** Every page of the console. */
import type { ConsoleOptions } from "./kit/context.ts";
import type { AnyPage } from "./kit/page.ts";
import { home } from "./pages/home.ts";
import { changeKeyPage } from "./pages/integrations/change-key.ts";
import { integrationsPage } from "./pages/integrations/integrations.ts";
import { keyPage } from "./pages/integrations/key.ts";
import { newKeyPage } from "./pages/integrations/new-key.ts";
import { revokeKeyPage } from "./pages/integrations/revoke-key.ts";
import { mePage } from "./pages/me/me.ts";
import { linkPage } from "./pages/sign-in/link.ts";
import { signInPage } from "./pages/sign-in/sign-in.ts";
import { signOutPage } from "./pages/sign-in/sign-out.ts";

/** One line per section. */
export const pages = (options: ConsoleOptions): readonly AnyPage[] => [
  signInPage(options),
  linkPage(options),
  signOutPage,
  home,
  ...[integrationsPage, newKeyPage, keyPage, changeKeyPage, revokeKeyPage],
  mePage,
];

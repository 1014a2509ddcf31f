/** What the routes of the API are served with. */
import type { Actor, CodeCheck, PasswordCheck } from "#admin/kit/action.ts";
import type { MailTools } from "#admin/kit/mail-tools.ts";
import type { Admission } from "#admission/admission.ts";
import type { OnDefect } from "#api/problems.ts";
import type { GivenCredentials, LoggedIn } from "#auth/users/log-in.ts";
import type { Store } from "#domain/ports/store.ts";
import type { ShownSetting } from "#domain/shown-setting.ts";
import type { ClientAddresses } from "#http/client-address.ts";

export interface RouteOptions {
  readonly store: Store;
  /** From the header Authorization; null: it contains no valid token. Throws the fault Throttled. */
  readonly authenticate: (authorization: string | undefined, client: string) => Promise<Actor | null>;
  /** With a password, for routes that need no token. */
  readonly logIn?: (given: GivenCredentials, client: string) => Promise<LoggedIn>;
  readonly passwordCheck?: PasswordCheck;
  readonly codeCheck?: CodeCheck;
  readonly settings?: readonly ShownSetting[];
  readonly mail?: MailTools;
  readonly admission: Admission;
  readonly clients: ClientAddresses;
  readonly clock: () => number;
  readonly onDefect: OnDefect;
  /** Makes this process look for jobs that it can do. */
  readonly wakeJobs: () => void;
}

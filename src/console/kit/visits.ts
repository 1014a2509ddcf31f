/** From a request to a visit: who asks, in which account, and how actions are performed. */
import { type Admin, perform as performAction } from "../../admin/action.ts";
import { Forbidden, NotFound } from "../../admin/errors.ts";
import type { PageInputs } from "../../admin/paging.ts";
import { Cursors } from "../../api/v2/kit/cursors.ts";
import { areIds, readParams } from "../../api/v2/kit/path.ts";
import { userActor } from "../../auth/users/actor.ts";
import type { Account } from "../../domain/account.ts";
import type { Actor } from "../../domain/actor.ts";
import { isAtLeast } from "../../domain/role.ts";
import { leaveJob } from "../../jobs/foreground.ts";
import type { ConsoleOptions, SignedIn } from "./context.ts";
import { NoSuchPage } from "./failures.ts";
import { VERSION } from "./form.ts";
import type { Guest } from "./guest.ts";
import type { EventPage, UserPage } from "./page.ts";
import type { Asked, Visit } from "./visit.ts";

/** What is the same for all visits. */
export class Visits {
  readonly #options: ConsoleOptions;
  readonly #cursors: Cursors;
  readonly #admin: Pick<Admin, "store" | "clock" | "continueJob" | "rewritesLater" | "passwordCheck">;

  constructor(options: ConsoleOptions) {
    const { store, clock, passwordCheck, wakeJobs } = options;
    this.#options = options;
    this.#cursors = new Cursors(store.secrets);
    this.#admin = {
      store: store.forOperators,
      clock,
      continueJob: leaveJob(store.jobs, wakeJobs),
      rewritesLater: true,
      passwordCheck,
    };
  }

  /** Those in which the user has a role. */
  async accountsOf({ user, session }: SignedIn): Promise<readonly Account[]> {
    const actor = userActor(user, { kind: "session", id: session.id }, "administrator", "");
    const all = await this.#options.store.forOperators.accounts.all();
    return all.filter(({ id }) => actor.roleIn(id) !== null);
  }

  /**
   * `isChanging`: the request may change something. Throws NotFound if the address names no account of the
   * user, and Forbidden.
   */
  async visit(
    page: UserPage | EventPage,
    asked: Asked,
    signedIn: SignedIn,
    ids: Readonly<Record<string, string>>,
    isChanging: boolean,
  ): Promise<Visit> {
    const { user, session } = signedIn;
    if (!areIds(page.path, ids)) throw new NoSuchPage();
    const actor = userActor(user, { kind: "session", id: session.id }, "administrator", asked.client);
    const accounts = await this.accountsOf(signedIn);
    const account = accountOf(page.path, ids, accounts);
    const role = actor.roleIn(account?.id ?? null);
    const may: Visit["may"] = (needed) => role !== null && isAtLeast(role, needed);
    if (page.role !== undefined && !may(page.role))
      throw new Forbidden(
        `this page needs the role ${page.role}${role === null ? "" : `; yours is ${role}`}`,
      );
    const perform = this.#performing(actor, asked, isChanging);
    return {
      ...asked,
      params: readParams(page.path, ids),
      user,
      actor,
      session,
      account,
      accounts,
      role,
      may,
      link: (path) => `${asked.base}${account === null ? "" : `/${account.id}`}${path}`,
      perform,
      list: async (action, args) => {
        const place = { listing: action.name, account: account?.id ?? null };
        const cursors = await this.#cursors.opened(cursorsIn(asked.query), place);
        const found = await perform(action, { ...args, ...cursors } as never);
        return await this.#cursors.sealed(found, place);
      },
    } as Visit;
  }

  performAs: Guest["performAs"] = (actor, action, args) =>
    performAction({ ...this.#admin, actor }, action, args);

  #performing(actor: Actor, { form }: Asked, isChanging: boolean): Visit["perform"] {
    const ifVersion = isChanging && form.has(VERSION) ? form.text(VERSION) : undefined;
    return async (action, args) => {
      if (!isChanging && action.records !== "nothing")
        throw new Error(`the action ${action.name} changes something, and a page is only shown`);
      return await performAction({ ...this.#admin, actor, ifVersion }, action, args);
    };
  }
}

function accountOf(
  path: string,
  ids: Readonly<Record<string, string>>,
  accounts: readonly Account[],
): Account | null {
  if (!path.startsWith("/{account}")) return null;
  const account = accounts.find(({ id }) => id === Number(ids.account));
  if (account === undefined) throw new NotFound("account", ids.account ?? "");
  return account;
}

function cursorsIn(query: URLSearchParams): Pick<PageInputs, "after" | "before"> {
  const [after, before] = [query.get("after"), query.get("before")];
  return { ...(after === null ? {} : { after }), ...(before === null ? {} : { before }) };
}

/** From a request to a context: who asks, in which account, and how actions are performed. */
import { listAccounts } from "#admin/accounts.ts";
import { type Admin, perform as performAction } from "#admin/kit/action.ts";
import { Forbidden, NotFound } from "#admin/kit/errors.ts";
import { END, type PageInputs } from "#admin/kit/paging.ts";
import { sessionProof, userActor } from "#auth/users/actor.ts";
import type { Actor } from "#domain/access/actor.ts";
import { isAtLeast } from "#domain/access/user.ts";
import type { Account } from "#domain/account.ts";
import type { Store } from "#domain/ports/store.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { Cursors } from "#web/cursors.ts";
import { areIds, readParams } from "#web/path.ts";
import { EncryptedQueries } from "../encrypted-query.ts";
import { NoSuchPage } from "../errors.ts";
import { requestFor, requestOf, VERSION } from "../form.ts";
import type { ConsoleOptions, SignedIn } from "../options.ts";
import type { EventPage, GuestContext, PageContext, RequestContext, UserPage } from "../page.ts";

/** Of a user with more, the switcher shows the first. */
const SWITCHER_ACCOUNTS = 100;

/** What is the same for all visits. */
export class PageContexts {
  readonly #cursors: Cursors;
  readonly #queries: EncryptedQueries;
  readonly #admin: Pick<
    Admin,
    "store" | "clock" | "continueJob" | "rewritesLater" | "passwordCheck" | "codeCheck" | "settings" | "mail"
  >;

  constructor(options: ConsoleOptions) {
    const { store, clock, passwordCheck, codeCheck, settings, mail, wakeJobs } = options;
    this.#cursors = new Cursors(store.secrets);
    this.#queries = new EncryptedQueries(this.#cursors);
    this.#admin = {
      store: store.forOperators,
      clock,
      continueJob: leaveJob(store.jobs, wakeJobs),
      rewritesLater: true,
      passwordCheck,
      codeCheck,
      settings,
      ...(mail === undefined ? {} : { mail }),
    };
  }

  /** The accounts in which the user has a role, at most `SWITCHER_ACCOUNTS`. */
  async accountsOf({ user, session }: SignedIn): Promise<readonly Account[]> {
    const actor = userActor(user, sessionProof(session), "administrator", "");
    const admin = { ...this.#admin, actor };
    return (await performAction(admin, listAccounts, { limit: SWITCHER_ACCOUNTS })).rows;
  }

  /**
   * For the frame: the accounts to choose from, and the one of the address. It is also shown if there is no
   * such page in the account, and if there are more accounts than the switcher shows.
   */
  async choices(
    signedIn: SignedIn | null,
    { account: given, "*": rest = "" }: Readonly<Record<string, string>>,
  ): Promise<{ readonly accounts: readonly Account[]; readonly account: Account | null }> {
    if (signedIn === null) return { accounts: [], account: null };
    const accounts = await this.accountsOf(signedIn);
    const id = Number(given ?? /^\d+(?=\/|$)/.exec(rest)?.[0]);
    const known = accounts.find((one) => one.id === id);
    if (known !== undefined) return { accounts, account: known };
    const { user, session } = signedIn;
    const actor = userActor(user, sessionProof(session), "administrator", "");
    const isOpen = Number.isSafeInteger(id) && actor.roleIn(id) !== null;
    return { accounts, account: isOpen ? await this.#admin.store.accounts.byId({ id }) : null };
  }

  /** Throws NotFound if the user has no role in it, as if it did not exist. */
  async #accountOf(path: string, given: string | undefined, actor: Actor): Promise<Account | null> {
    if (!path.startsWith("/{account}")) return null;
    const id = Number(given);
    const account = actor.roleIn(id) === null ? null : await this.#admin.store.accounts.byId({ id });
    if (account === null) throw new NotFound("account", given ?? "");
    return account;
  }

  /**
   * `isChanging`: the request may change something. Throws NotFound if the address names no account of the
   * user, and Forbidden.
   */
  async contextOf(
    page: UserPage | EventPage,
    requestContext: RequestContext,
    signedIn: SignedIn,
    ids: Readonly<Record<string, string>>,
    isChanging: boolean,
  ): Promise<PageContext> {
    const { user, session } = signedIn;
    if (!areIds(page.path, ids)) throw new NoSuchPage();
    const actor = userActor(user, sessionProof(session), "administrator", requestContext.client);
    const accounts = await this.accountsOf(signedIn);
    const account = await this.#accountOf(page.path, ids.account, actor);
    const role = actor.roleIn(account?.id ?? null);
    const may: PageContext["may"] = (needed) => role !== null && isAtLeast(role, needed);
    if (page.role !== undefined && !may(page.role))
      throw new Forbidden(
        `this page needs the role ${page.role}${role === null ? "" : `; yours is ${role}`}`,
      );
    const sent = isChanging
      ? requestOf(requestContext.form, requestContext.path, user.id, requestContext.now)
      : null;
    const once = sent === null ? null : this.#admin.store.idempotent(sent);
    const perform = this.#performing(actor, requestContext, isChanging, once ?? this.#admin.store);
    const place = { path: page.path, account: account?.id ?? null };
    return {
      ...requestContext,
      params: readParams(page.path, ids),
      user,
      actor,
      session,
      account,
      accounts,
      role,
      may,
      link: (path) => `${requestContext.base}${account === null ? "" : `/${account.id}`}${path}`,
      perform,
      performHere: (action, args) => perform(action, { account: place.account, ...args } as never),
      performIdempotent: (key, action, args) => {
        const store = this.#admin.store.idempotent(
          requestFor([requestContext.path, key], user.id, requestContext.now),
        );
        const given = { account: place.account, ...args } as never;
        return this.#performing(actor, requestContext, isChanging, store)(action, given);
      },
      isRepeat: () => once?.isRepeat === true,
      list: async (action, args) => {
        const listing = { listing: action.name, account: place.account };
        const cursors = await this.#cursors.decrypted(cursorsIn(requestContext.query), listing);
        const at = (range: object) => perform(action, { account: place.account, ...args, ...range } as never);
        let found = await at(cursors);
        // Everything on the page has been removed since: shows the page before it, or the first.
        if (found.previous === END) found = await at({ before: END });
        else if (found.next === END) found = await at({ after: END });
        return await this.#cursors.encrypted(found, listing);
      },
      encrypt: (filter, path = page.path) => this.#queries.encrypt({ ...place, path }, filter),
      filter: () => this.#queries.decrypt(place, requestContext.query),
    } as PageContext;
  }

  performAs: GuestContext["performAs"] = (actor, action, args) =>
    performAction({ ...this.#admin, actor }, action, args);

  #performing(
    actor: Actor,
    { form }: RequestContext,
    isChanging: boolean,
    store: Store,
  ): PageContext["perform"] {
    const ifVersion = isChanging && form.has(VERSION) ? [form.text(VERSION)] : undefined;
    return async (action, args) => {
      if (!isChanging && action.records !== "nothing")
        throw new Error(`the action ${action.name} changes something, and a page is only shown`);
      return await performAction({ ...this.#admin, store, actor, ifVersion }, action, args);
    };
  }
}

function cursorsIn(query: URLSearchParams): Pick<PageInputs, "after" | "before"> {
  const [after, before] = [query.get("after"), query.get("before")];
  return { ...(after === null ? {} : { after }), ...(before === null ? {} : { before }) };
}

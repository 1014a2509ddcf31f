/** Composes campaigns: what they say and to whom. Nothing is sent. */
import { type ComposedCampaign, emptyContent } from "../../../domain/sending/mailing.ts";
import { action, type InAccount } from "../../kit/action.ts";
import { InvalidInput, NotFound } from "../../kit/errors.ts";
import { requireName } from "../../kit/inputs.ts";
import type { OfCampaign } from "../campaigns.ts";
import { type GivenContent, requireConsistent, requireContent, requireKnown } from "./content.ts";
import { findComposed, notComposed } from "./find.ts";
import { wrongState } from "./states.ts";

/** A draft. */
export const composeCampaign = action(
  "campaign.compose",
  "editor",
  "audit log",
  async (
    { store, clock, audit },
    { account, name, ...given }: InAccount & GivenContent & { readonly name: string },
  ): Promise<ComposedCampaign> => {
    const content = { ...emptyContent, ...requireContent(given) };
    requireConsistent(content);
    requireLayout(content.layout);
    const made = await store.mailings.create({
      ...{ account, name: requireName(name), content, at: clock(), audit },
    });
    return requireKnown(made);
  },
);

/** Of a draft: what is given is changed, the rest stays. */
export const setContent = action(
  "campaign.setContent",
  "editor",
  "audit log",
  async (
    admin,
    { account, campaign, name, ...given }: OfCampaign & GivenContent & { readonly name?: string | undefined },
  ): Promise<ComposedCampaign> => {
    const changes = requireContent(given);
    const { content } = await findComposed(admin, { account, campaign });
    requireConsistent({ ...content, ...changes });
    if (changes.layout !== undefined) requireLayout(changes.layout);
    const changed = await admin.store.mailings.setContent({
      ...{ account, campaign, changes, audit: admin.audit },
      ...(name === undefined ? {} : { name: requireName(name) }),
    });
    if (changed === null) throw notComposed(campaign);
    if ("wrongState" in changed) throw wrongState(changed.wrongState, "edit");
    return requireKnown(changed);
  },
);

export const showContent = action(
  "campaign.content",
  "viewer",
  "nothing",
  (admin, one: OfCampaign): Promise<ComposedCampaign> => findComposed(admin, one),
);

export interface Layout {
  readonly name: string;
  readonly description: string;
  /** The HTML with its place for the content, to be copied and changed. */
  readonly html: string;
}
const layouts: readonly Layout[] = [];

/** The layouts that come with Mailroll. */
export const listLayouts = action(
  "campaign.layouts",
  "viewer",
  "nothing",
  async ({ store }, { account: id }: InAccount): Promise<readonly Layout[]> => {
    if ((await store.accounts.byId({ id })) === null) throw new NotFound("account", id);
    return layouts;
  },
);

function requireLayout(name: string | null): void {
  if (name === null || layouts.some((one) => one.name === name)) return;
  const names = layouts.map((one) => one.name).join(", ");
  throw new InvalidInput("layout", `must be one of ${names}`);
}

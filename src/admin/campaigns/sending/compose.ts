/** Composes campaigns: what they say and to whom. Nothing is sent. */
import { isLayoutName, type LayoutName, layoutNames, layouts } from "#delivery/layouts/layouts.ts";
import { type ComposedCampaign, emptyContent } from "#domain/sending/mailing.ts";
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

export interface ShownLayout {
  readonly name: LayoutName;
  readonly description: string;
  /** With a comment in place of the content: to be copied and changed. */
  readonly html: string;
}
const descriptions: Readonly<Record<LayoutName, string>> = {
  plain: "Text on white, as in a letter.",
  newsletter: "A heading, the content in a column, a footer.",
  announcement: "One message in large letters, with a button.",
};

/** The layouts that come with Mailroll. */
export const listLayouts = action(
  "campaign.layouts",
  "viewer",
  "nothing",
  async ({ store }, { account: id }: InAccount): Promise<readonly ShownLayout[]> => {
    if ((await store.accounts.byId({ id })) === null) throw new NotFound("account", id);
    return layoutNames.map((name) => {
      const { start, end } = layouts[name];
      return { name, description: descriptions[name], html: `${start}<!-- content -->${end}` };
    });
  },
);

function requireLayout(name: string | null): void {
  if (name === null || isLayoutName(name)) return;
  throw new InvalidInput("layout", `must be one of ${layoutNames.join(", ")}`);
}

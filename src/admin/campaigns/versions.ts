/** The last versions of a draft: what it said when it was saved, to look at and to restore. */
import { originOfActor } from "#domain/access/audit.ts";
import { type ComposedCampaign, KEPT_VERSIONS } from "#domain/sending/mailing.ts";
import { actorNames, auditedActor, type NamedActor } from "../actor-names.ts";
import { type Admin, audited, query } from "../kit/action.ts";
import { NotFound } from "../kit/errors.ts";
import type { OfCampaign } from "./campaigns.ts";
import { existingContent, findComposed, notComposed, requireKnown, wrongState } from "./compose.ts";

export { KEPT_VERSIONS };

export interface ShownVersion {
  readonly number: number;
  readonly savedAt: number;
  readonly by: NamedActor;
}
type OfVersion = OfCampaign & { readonly version: number };

/** The newest first. */
export const listVersions = query(
  "campaign.versions",
  "viewer",
  async (admin, one: OfCampaign): Promise<readonly ShownVersion[]> => {
    await findComposed(admin, one);
    const { account, campaign } = one;
    const versions = await admin.store.mailings.versions({ account, campaign });
    const names = await actorNames(
      admin.store,
      account,
      versions.map(({ actor }) => originOfActor(actor)),
    );
    return versions.map((version) => ({
      number: version.number,
      savedAt: version.savedAt,
      by: auditedActor(version, names),
    }));
  },
);

/** The campaign with what it said then. */
export interface CampaignAtVersion extends ComposedCampaign {
  readonly savedAt: number;
}

async function findVersion(admin: Admin, { version, ...one }: OfVersion): Promise<CampaignAtVersion> {
  const { campaign: now, mailing } = await findComposed(admin, one);
  const { account, campaign } = one;
  const found = await admin.store.mailings.version({ account, campaign, number: version });
  if (found !== null) {
    const { name, ...content } = found.content;
    return { campaign: { ...now, name }, content, mailing, savedAt: found.savedAt };
  }
  throw new NotFound("version", version, [
    `only the last ${KEPT_VERSIONS} versions of a draft are kept; list them`,
  ]);
}

export const showVersion = query(
  "campaign.version",
  "viewer",
  (admin, one: OfVersion): Promise<CampaignAtVersion> => findVersion(admin, one),
);

/**
 * A draft says again what it said then. Lists and a sender that do not exist any more are left out. What it
 * says now stays a version.
 */
export const restoreVersion = audited(
  "campaign.restoreVersion",
  "editor",
  async (admin, one: OfVersion): Promise<ComposedCampaign> => {
    const {
      campaign: { name },
      content,
    } = await findVersion(admin, one);
    const { account, campaign } = one;
    const changed = await admin.store.mailings.setContent({
      ...{ account, campaign, name, isRestored: true, audit: admin.audit },
      changes: await existingContent(admin, one, content),
    });
    if (changed === null) throw notComposed(campaign);
    if ("wrongState" in changed) throw wrongState(changed.wrongState, "edit");
    return requireKnown(changed);
  },
);

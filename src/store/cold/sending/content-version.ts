/**
 * The version of a composed campaign is that of its name and content. Who schedules or resumes a campaign may
 * expect one, too: what is sent is what they have seen.
 */
import type { AuditedBy } from "#domain/access/audit.ts";
import type { ComposedCampaign } from "#domain/sending/mailing.ts";
import { requireVersion } from "#domain/version.ts";

export function requireContentVersion(audit: AuditedBy | undefined, found: ComposedCampaign | null): void {
  const value = found === null ? null : { name: found.campaign.name, ...found.content };
  requireVersion(audit?.ifVersion, "campaign content", value);
}
/** For an entry of the audit log after the version was compared. */
export const anyVersion = (audit: AuditedBy | undefined): AuditedBy | undefined =>
  audit === undefined ? undefined : { ...audit, ifVersion: undefined };

/** Arguments with which each action of composed campaigns succeeds. */
import { begin, draftIn, FAILED, schedule, sendAll } from "../sending-campaign.ts";
import { type Installation, NOW, store } from "./audited-installation.ts";

const draft = async (of: Installation) => ({ campaign: (await draftIn(store, of)).campaign });
/** With a version. */
const savedDraft = async (of: Installation) => {
  const { account, campaign } = await draftIn(store, of);
  const by = { at: NOW, origin: { kind: "operator" }, from: null, action: "campaign.setContent" } as const;
  await store.mailings.setContent({ account, campaign, changes: { subject: "Snow" }, audit: by });
  await store.mailings.setContent({
    account,
    campaign,
    changes: { subject: "Ice" },
    isRestored: true,
    audit: by,
  });
  return { campaign };
};
const scheduled = async (of: Installation) => ({
  campaign: (await schedule(store, await draftIn(store, of), NOW)).campaign,
});
const begun = async (of: Installation) => ({
  campaign: (await begin(store, await draftIn(store, of), NOW)).campaign,
});

export const campaignExamples: Record<string, (of: Installation) => object | Promise<object>> = {
  "campaign.compose": ({ list }) => ({ name: "Winter", lists: [list], subject: "Snow", text: "Cold" }),
  "campaign.setContent": async (of) => ({ ...(await draft(of)), subject: "Ice" }),
  "campaign.content": draft,
  "campaign.duplicate": begun,
  "campaign.versions": draft,
  "campaign.version": async (of) => ({ ...(await savedDraft(of)), version: 1 }),
  "campaign.restoreVersion": async (of) => ({ ...(await savedDraft(of)), version: 1 }),
  "campaign.layouts": () => ({}),
  "campaign.preview": async (of) => ({ ...(await draft(of)), email: of.email }),
  "campaign.previewDraft": () => ({ campaign: null, name: "Spring", to: "sample", markdown: "Hello" }),
  "campaign.testSend": async (of) => ({ ...(await draft(of)), to: ["me@example.com"] }),
  "campaign.check": async (of) => ({ ...(await draft(of)), allowsHttp: false }),
  "campaign.countRecipients": ({ list }) => ({ lists: [list], excludedLists: [], filter: [] }),
  "campaign.dryRun": draft,
  "campaign.send": async (of) => ({ ...(await draft(of)), at: null, allowsHttp: false }),
  "campaign.sending": draft,
  "campaign.unschedule": scheduled,
  "campaign.pause": begun,
  "campaign.resume": async (of) => {
    const { campaign } = await begun(of);
    await store.mailings.change({ account: of.account, campaign, change: "pause", at: NOW, now: NOW });
    return { campaign };
  },
  "campaign.cancel": scheduled,
  "campaign.recipients": async (of) => ({ ...(await begun(of)), state: null, limit: 10 }),
  "campaign.retry": async (of) => {
    const { campaign } = await begun(of);
    await sendAll(store, { account: of.account, campaign }, NOW, FAILED);
    return { campaign, states: ["failed"] };
  },
  "campaign.previewRetry": async (of) => ({ ...(await begun(of)), states: ["failed"] }),
  "campaign.previewClearBounces": async (of) => ({ ...(await begun(of)), since: null }),
  "campaign.clearBounces": async (of) => ({
    ...(await begun(of)),
    since: null,
    reason: "the relay was wrong",
  }),
  "campaign.verify": begun,
};

/** Checks whether a campaign is ready to be sent, and refuses a start with all problems at once. */
import { RendererBusy, TemplateProblem } from "#delivery/renderer/renderer.ts";
import type { ComposedCampaign } from "#domain/sending/mailing.ts";
import { type Admin, action } from "../../kit/action.ts";
import { NotPossible, NotReady } from "../../kit/errors.ts";
import { requireMail } from "../../kit/mail-tools.ts";
import type { OfCampaign } from "../campaigns.ts";
import {
  type Check,
  checkBaseAddress,
  checkLists,
  checkMessage,
  checkRecipients,
  checkSender,
} from "./checks.ts";
import { findComposed } from "./find.ts";
import { messageSource, personFor } from "./source.ts";

interface AllowsHttp {
  /** Whether unsubscribe links may be http, for trying out. */
  readonly allowsHttp: boolean;
}

export const checkCampaign = action(
  "campaign.check",
  "editor",
  "nothing",
  async (admin, one: OfCampaign & AllowsHttp): Promise<readonly Check[]> =>
    checksOf(admin, one, await findComposed(admin, one)),
);

async function checksOf(
  admin: Admin,
  one: OfCampaign & AllowsHttp,
  found: ComposedCampaign,
): Promise<readonly Check[]> {
  const { store } = admin;
  const { account } = one;
  const mail = requireMail(admin);
  const { content } = found;
  const { senders } = store;
  const sender = content.sender === null ? null : await senders.toSendWith({ account, id: content.sender });
  const missing = await missingLists(admin, one, found);
  return [
    checkBaseAddress(mail.baseUrl, one.allowsHttp),
    ...checkSender(content, sender, mail.defaultRelay),
    checkLists(content, missing),
    ...(content.lists.length > missing.length
      ? [checkRecipients(await hasRecipient(admin, one, found))]
      : []),
    ...checkMessage(await messageOf(admin, one, found)),
  ];
}

async function missingLists({ store }: Admin, { account }: OfCampaign, { content }: ComposedCampaign) {
  const missing: number[] = [];
  for (const id of [...content.lists, ...content.excludedLists])
    if ((await store.lists.byId({ account, id })) === null) missing.push(id);
  return missing;
}

async function hasRecipient(
  { store }: Admin,
  { account }: OfCampaign,
  { content: { lists, excludedLists } }: ComposedCampaign,
): Promise<boolean> {
  for await (const page of store.mailings.candidates.pages({ account, lists, excludedLists }))
    if (page.some(({ leftOut }) => leftOut === null)) return true;
  return false;
}

/** That of a sample person, or what is wrong with the templates. */
async function messageOf(admin: Admin, one: OfCampaign, found: ComposedCampaign) {
  const source = await messageSource(admin, one, found);
  const person = await personFor(admin, one, null);
  try {
    return await requireMail(admin).renderer.message(source, person, { isTest: false });
  } catch (error) {
    if (error instanceof TemplateProblem) return error.faults;
    if (error instanceof RendererBusy) throw new NotPossible(error.message);
    throw error;
  }
}

/** Returns the warnings. Throws NotReady with every check that failed. */
export async function requireReady(
  admin: Admin,
  one: OfCampaign & AllowsHttp,
  found: ComposedCampaign,
): Promise<readonly Check[]> {
  const checks = await checksOf(admin, one, found);
  const failures = checks.filter(({ status }) => status === "failed");
  if (failures.length > 0)
    throw new NotReady(
      `campaign ${one.campaign} is not ready to be sent`,
      failures.map(({ text, advice }) => (advice === null ? text : `${text}: ${advice}`)),
    );
  return checks.filter(({ status }) => status === "warning");
}

/** What the messages of a campaign are made from: its content, its sender, and the person they are for. */
import type { MessageSource } from "#delivery/renderer/renderer.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import { collect } from "#domain/paging/pages.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { ComposedCampaign } from "#domain/sending/mailing.ts";
import { type Sender, type SenderSecrets, withoutSecrets } from "#domain/sending/sender.ts";
import type { Admin } from "../../kit/action.ts";
import { NotFound } from "../../kit/errors.ts";
import { requireAddress } from "../../kit/inputs.ts";
import type { OfCampaign } from "../campaigns.ts";

/** Without the key: its messages are not signed. */
export async function messageSource(
  { store, mail }: Pick<Admin, "store" | "mail">,
  { account }: OfCampaign,
  { campaign: { id, name }, content }: ComposedCampaign,
): Promise<MessageSource> {
  const { senders } = store;
  const sender = content.sender === null ? null : await senders.byId({ account, id: content.sender });
  const fields = (await collect(store.fields.all.pages({ account }))).map((field) => field.name);
  return { account, campaign: id, name, content, sender, baseUrl: mail?.baseUrl ?? null, fields };
}

/** Messages that are handed over are signed. The passwords of relays are not needed for that. */
export async function signedSource(
  admin: Pick<Admin, "store" | "mail">,
  one: OfCampaign,
  composed: ComposedCampaign,
  sender: Sender & SenderSecrets,
): Promise<MessageSource> {
  const source = await messageSource(admin, one, composed);
  return { ...source, sender: { ...withoutSecrets(sender), dkimKey: sender.dkimKey } };
}

/** `email` null: a sample person. */
export async function personFor(
  { store }: Pick<Admin, "store">,
  { account }: OfCampaign,
  email: string | null,
): Promise<MergeData> {
  if (email === null) return samplePerson(await collect(store.fields.all.pages({ account })));
  const address = requireAddress(email);
  const found = await store.subscribers.find({ account, address });
  const person = found === null ? null : await store.mailings.person({ account, subscriber: found.id });
  if (person === null) throw new NotFound("subscriber", address.text);
  return person;
}

const samples: Readonly<Partial<Record<DataType, string>>> = {
  ...{ BOOLEAN: "true", REAL: "4.2", DATE: "2026-11-01", EMAIL: "ada@example.org", GENDER: "F" },
  ...{ COUNTRY: "GB", SCORE: "42", PHONE: "+44 20 7946 0000" },
};

/** Somebody with a value of every field. */
const samplePerson = (fields: readonly Field[]): MergeData => ({
  ...{ subscriber: 0, address: "ada@example.org", firstName: "Ada", lastName: "Lovelace" },
  ...{ gender: "F", birthday: "1990-12-10", country: "GB" },
  fields: Object.fromEntries(fields.map(({ name, type }) => [name, samples[type] ?? "sample"])),
});

/** Senders of an account. */
import type { Audited } from "../../access/audit.ts";
import type { Sender, SenderId, SenderSecrets } from "../../sending/sender.ts";
import type { OfAccount } from "../command.ts";
import type { Listing } from "../listing.ts";

export interface OfSender extends OfAccount {
  readonly id: SenderId;
}
export type SenderValues = Omit<Sender, "id" | "createdAt" | "relays"> & SenderSecrets;

export interface Senders {
  /** In order of id. */
  readonly all: Listing<OfAccount, Sender>;
  byId(args: OfSender): Promise<Sender | null>;
  /** With the secrets: for sending and for checks, never to be shown. */
  toSendWith(args: OfSender): Promise<(Sender & SenderSecrets) | null>;
  create(args: OfAccount & Audited & SenderValues & { readonly createdAt: number }): Promise<Sender>;
  /** Changes what is given. null: no such sender. */
  set(args: OfSender & Audited & Partial<SenderValues>): Promise<Sender | null>;
  /** The campaigns that would lose their sender prevent it. null: no such sender. */
  delete(args: OfSender & Audited): Promise<Sender | { readonly usedBy: readonly number[] } | null>;
}

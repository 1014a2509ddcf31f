/** The ports of sending. */
import type { Mailings } from "../../../domain/ports/sending/mailings.ts";
import type { Senders } from "../../../domain/ports/sending/senders.ts";
import type { Store } from "../../../domain/ports/store.ts";

export type SendingStore = Store & { readonly mailings: Mailings; readonly senders: Senders };
export const sendingOf = (store: Store): SendingStore => store as SendingStore;

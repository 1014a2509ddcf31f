/** What senders are checked with: the settings of this process, and a connection to a relay. */
import type { SendingSettings } from "../admin/kit/sending-settings.ts";
import { tryRelay } from "../delivery/smtp/try-relay.ts";
import { isSameRelay } from "../domain/sending/relay-address.ts";
import type { Config } from "./settings/config.ts";

/** Somebody waits for the answer. */
const TIMEOUTS = { connect: 4000, greeting: 5000 };

export const sendingSettings = ({ smtp, dns }: Pick<Config, "smtp" | "dns">): SendingSettings => ({
  relay: smtp,
  nameServers: dns,
  tryRelay: async ({ url, allowsInner }) => {
    const allowsInnerAddresses = allowsInner === true || isSameRelay(url, smtp);
    return (await tryRelay(url, { allowsInnerAddresses, timeouts: TIMEOUTS })).problem;
  },
});

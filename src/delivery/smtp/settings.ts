/** What can be set for a relay beside its address: connections, timeouts, certificates. */
import type { SecureContextOptions } from "node:tls";

export interface SmtpSettings {
  /** How many connections are open at most. */
  readonly connections: number;
  /** Whether the relay may be inside the network of the installation. */
  readonly allowsInnerAddresses: boolean;
  /** The name that is given with EHLO; null: the host name, if it is a full one. */
  readonly name: string | null;
  /** Certificates that are trusted, in place of the usual ones. */
  readonly ca: SecureContextOptions["ca"] | null;
  /** A connection is closed after so many messages. */
  readonly messagesPerConnection: number;
  readonly timeouts: SmtpTimeouts;
}

/**
 * In milliseconds. All of them are limits in total, so that a relay that sends a byte now and then is no
 * hang.
 */
export interface SmtpTimeouts {
  /** Name resolution and TCP. */
  readonly connect: number;
  /** From then on until messages can be sent: greeting, EHLO, STARTTLS and login. */
  readonly greeting: number;
  /** From MAIL to the reply to DATA. */
  readonly envelope: number;
  /** Until the relay has read the message up to its last bytes. */
  readonly data: number;
  /** The reply to the end of the message. Long: a message without it is `unknown` (RFC 5321, 4.5.3.2.6). */
  readonly dot: number;
  /** An unused connection is closed. */
  readonly idle: number;
  /** For messages on their way when the relay is closed. */
  readonly close: number;
}

const defaultSettings: SmtpSettings = {
  connections: 10,
  allowsInnerAddresses: false,
  name: null,
  ca: null,
  messagesPerConnection: 500,
  timeouts: {
    connect: 20_000,
    greeting: 60_000,
    envelope: 120_000,
    data: 300_000,
    dot: 600_000,
    idle: 5000,
    close: 10_000,
  },
};

export type SmtpOptions = Partial<Omit<SmtpSettings, "timeouts">> & {
  readonly timeouts?: Partial<SmtpTimeouts>;
};
export const settingsFrom = (options: SmtpOptions): SmtpSettings => ({
  ...defaultSettings,
  ...options,
  timeouts: { ...defaultSettings.timeouts, ...options.timeouts },
});

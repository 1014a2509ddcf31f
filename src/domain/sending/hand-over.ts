/**
 * What happened to one message at the relay, as the SMTP conversation shows it. What it means for the
 * recipient and the campaign is decided in smtp-reply.ts.
 */

/** `dot`: the reply to the end of the message. `connect`: before the relay said anything, with TLS. */
export const smtpStages = ["connect", "greeting", "login", "mail", "rcpt", "data", "dot"] as const;
export type SmtpStage = (typeof smtpStages)[number];

/** A reply of the relay. The text has no control characters and at most 500 characters. */
export interface SmtpReply {
  readonly code: number;
  /** The enhanced status code, such as 5.1.1. It is part of the text, too. */
  readonly status: string | null;
  readonly text: string;
}

export type HandOver =
  /** The code is null if the message was written to a file. */
  | ({ readonly kind: "accepted"; readonly code: number | null } & Omit<SmtpReply, "code">)
  /** The relay replied with 4xx or 5xx: it did not take the message. */
  | ({ readonly kind: "rejected"; readonly stage: SmtpStage } & SmtpReply)
  /**
   * The connection was lost while it was used for the message. `mayBeHandedOver`: the end of the message may
   * have been written, so the relay may have accepted it. Otherwise nothing was handed over.
   */
  | {
      readonly kind: "lost";
      readonly stage: SmtpStage;
      readonly mayBeHandedOver: boolean;
      readonly text: string;
    }
  /**
   * The relay cannot be used: no connection, no TLS, no login, no reply in time, or replies that break the
   * protocol. Nothing was handed over.
   */
  | { readonly kind: "relay failed"; readonly stage: SmtpStage; readonly text: string }
  /** The message needs SMTPUTF8, and the relay does not offer it. Nothing was handed over. */
  | { readonly kind: "needs SMTPUTF8" };

export interface Envelope {
  readonly from: string;
  readonly to: string;
}

/** A complete message, as it is handed over. */
export interface OutgoingMessage {
  /** Identifies the message: `<campaign>-<subscriber>`. Repeated, it is the same message. */
  readonly name: string;
  readonly envelope: Envelope;
  /** Header and body, with CRLF; not dot-stuffed. */
  readonly bytes: Uint8Array;
  /** Whether a header contains UTF-8. For addresses of the envelope the transport sees it itself. */
  readonly needsSmtpUtf8: boolean;
}

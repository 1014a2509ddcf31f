/**
 * Opens an SMTP session: TCP, TLS, EHLO and login. The result is a connection that is ready for messages, or
 * why there is none.
 *
 * Certificates are verified, with one exception: a relay on loopback that gets no credentials. Mail servers
 * of Linux distributions offer STARTTLS with a certificate that they signed themselves, and nobody can listen
 * in between. Without TLS, credentials are sent to loopback only.
 */
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { HandOver, SmtpStage } from "#domain/sending/hand-over.ts";
import { isLoopbackAddress, type RelayAddress } from "#domain/sending/relay-address.ts";
import { dial, STOPPED } from "./dial.ts";
import { cleanText, parseReply } from "./reply.ts";
import type { SmtpSettings } from "./settings.ts";
import { makeStrict } from "./strict-connection.ts";

export type SmtpAddress = Extract<RelayAddress, { kind: "smtp" }>;
export type Refused = Extract<HandOver, { kind: "rejected" | "relay failed" }>;

export interface ReadyConnection {
  readonly connection: SMTPConnection;
  readonly offersSmtpUtf8: boolean;
}

/** What nodemailer adds to an error. */
export interface SmtpError extends Error {
  readonly code?: string | undefined;
  readonly response?: unknown;
  readonly command?: string | undefined;
}

/** Several addresses of one host fail with an error that has no text of its own. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorText).join("; ");
  return error instanceof Error ? error.message : String(error);
}

const failed = (stage: SmtpStage, error: unknown): Refused => ({
  kind: "relay failed",
  stage,
  text: cleanText(errorText(error)),
});

/** A 4xx or 5xx of the relay in an error. */
export function replyIn(error: SmtpError): ReturnType<typeof parseReply> {
  const reply = typeof error.response === "string" ? parseReply(error.response) : null;
  return reply !== null && reply.code >= 400 ? reply : null;
}

function refused(error: SmtpError): Refused {
  const stage = stageOf(error.command ?? "");
  const reply = replyIn(error);
  return reply === null ? failed(stage, error) : { kind: "rejected", stage, ...reply };
}
function stageOf(command: string): SmtpStage {
  if (command.startsWith("AUTH") || command === "API") return "login";
  return "greeting";
}

/** Ends a connection at once: nothing more is written, not even what waits in the socket. */
export function abandon(connection: SMTPConnection): void {
  const socket = connection._socket;
  connection.close();
  if (socket) socket.destroy();
}

/** An abort of the signal ends the attempt at once. */
export async function openConnection(
  address: SmtpAddress,
  settings: SmtpSettings,
  signal: AbortSignal | null,
): Promise<ReadyConnection | Refused> {
  const { host, port, login, isSecure } = address;
  const { timeouts } = settings;
  const dialled = await dial({
    host,
    port,
    connectMs: timeouts.connect,
    allowsInnerAddresses: settings.allowsInnerAddresses,
    signal,
  }).catch((error: unknown) => failed("connect", error));
  if ("kind" in dialled) return dialled;
  const isLoopback = isLoopbackAddress(dialled.remoteAddress ?? "");
  const connection = new SMTPConnection({
    connection: dialled,
    host,
    port,
    secure: isSecure,
    requireTLS: !isSecure && login !== null && !isLoopback,
    connectionTimeout: timeouts.greeting,
    greetingTimeout: timeouts.greeting,
    // Every wait has a limit of its own; this one must not come first.
    socketTimeout: 2 * Math.max(timeouts.greeting, timeouts.envelope, timeouts.data, timeouts.dot),
    tls: {
      rejectUnauthorized: !(isLoopback && login === null),
      ...(settings.ca === null ? {} : { ca: settings.ca }),
    },
    ...(settings.name === null ? {} : { name: settings.name }),
  });
  makeStrict(connection, login);
  const { promise, resolve } = Promise.withResolvers<ReadyConnection | Refused>();
  const giveUp = (why: string): void => {
    resolve(failed("greeting", why));
    abandon(connection);
  };
  const timer = setTimeout(() => {
    const missing = connection.stage === "init" ? "TLS" : "reply";
    giveUp(`no ${missing} within ${timeouts.greeting / 1000} s`);
  }, timeouts.greeting);
  signal?.addEventListener("abort", () => giveUp(STOPPED), { once: true });
  // It stays: an error of a connection without such a listener would end the process.
  connection.on("error", (error) => {
    resolve(refused(error));
  });
  connection.once("end", () => {
    queueMicrotask(() => resolve(failed("greeting", "the relay closed the connection")));
  });
  connection.connect((error) => {
    if (error !== undefined) return resolve(refused(error));
    const offers = typeof connection.lastServerResponse === "string" ? connection.lastServerResponse : "";
    const ready = { connection, offersSmtpUtf8: /^250[ -]SMTPUTF8\b/im.test(offers) };
    if (login === null) return resolve(ready);
    connection.login({ user: login.user, pass: login.password }, (refusal) => {
      resolve(refusal === null ? ready : refused(refusal));
    });
  });
  const opened = await promise;
  clearTimeout(timer);
  if ("kind" in opened) abandon(connection);
  return opened;
}

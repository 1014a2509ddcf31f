/**
 * One connection to a relay, for one message after the other: TCP, TLS, EHLO, login, messages, QUIT.
 *
 * Certificates are verified, with one exception: a relay on loopback that gets no credentials. Mail servers
 * of Linux distributions offer STARTTLS with a certificate that they signed themselves, and nobody can listen
 * in between. Without TLS, credentials are sent to loopback only.
 */
import { createHmac } from "node:crypto";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { ConnectionOptions } from "node:tls";
import { domainToASCII } from "node:url";
import type { HandOver, OutgoingMessage, SmtpStage } from "#domain/sending/hand-over.ts";
import { isLoopbackAddress, type RelayAddress } from "#domain/sending/relay.ts";
import { type Answer, errorText, isFailure, isPositive, SmtpConnection } from "./connection.ts";
import { dial, STOPPED } from "./dial.ts";
import { exchange } from "./exchange.ts";
import { bearerLogin, cleanText, keptOf, type Login, plainLogin, type Reply } from "./reply.ts";
import type { SmtpSettings, SmtpTimeouts } from "./settings.ts";

export type SmtpAddress = Extract<RelayAddress, { kind: "smtp" }>;
export type Refused = Extract<HandOver, { kind: "rejected" | "relay failed" }>;
/** What the relay offers with EHLO: keywords in capitals, each with its values. */
type Offers = ReadonlyMap<string, readonly string[]>;

const QUIT_MS = 2000;
const CLOSED = "the relay closed the connection";

const failed = (stage: SmtpStage, text: string): Refused => ({
  kind: "relay failed",
  stage,
  text: cleanText(text),
});
/** `problem`: what is wrong with a reply that is no refusal. */
function refused({ hide }: SmtpConnection, stage: SmtpStage, problem: string, answer: Answer): Refused {
  if (isFailure(answer)) return failed("greeting", answer.text);
  const words = hide(answer.words);
  return answer.code >= 400
    ? { kind: "rejected", stage, ...keptOf({ code: answer.code, words }) }
    : failed(stage, `${problem}: ${words}`);
}

/** For EHLO: the name of this machine if it is a full one. */
function ownName(): string {
  const name = hostname();
  if (!name.includes(".")) return "[127.0.0.1]";
  return isIP(name) === 0 ? name : `[${name}]`;
}

/** Its first line is a greeting. */
function offersIn(reply: string): Offers {
  const offers = new Map<string, readonly string[]>();
  for (const line of reply.split("\n").slice(1)) {
    const [keyword = "", ...values] = line
      .slice(4)
      .trim()
      .toUpperCase()
      .split(/[\s=]+/);
    offers.set(keyword, [...(offers.get(keyword) ?? []), ...values]);
  }
  return offers;
}

/** With HELO, nothing is offered. */
async function sayHello(
  connection: SmtpConnection,
  name: string,
  needsTls: boolean,
): Promise<Offers | Refused> {
  const ehlo = await connection.ask(`EHLO ${name}`);
  if (isFailure(ehlo) || ehlo.code === 421) return refused(connection, "greeting", "", ehlo);
  if (isPositive(ehlo)) return offersIn(ehlo.words);
  if (needsTls)
    return refused(connection, "greeting", "EHLO failed but HELO does not support required STARTTLS", ehlo);
  const helo = await connection.ask(`HELO ${name}`);
  return isPositive(helo) ? new Map() : refused(connection, "greeting", "Invalid HELO", helo);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** In the order of preference. */
const mechanisms = ["PLAIN", "LOGIN", "CRAM-MD5", "XOAUTH2"] as const;

/** The first command, and how each challenge of the relay is responded to. */
function loginLines(
  mechanism: (typeof mechanisms)[number],
  login: NonNullable<Login>,
): readonly [string, ...((challenge: string) => string)[]] {
  const { user, password } = login;
  switch (mechanism) {
    case "PLAIN":
      return [`AUTH PLAIN ${plainLogin(login)}`];
    case "LOGIN":
      return ["AUTH LOGIN", () => base64(user), () => base64(password)];
    case "CRAM-MD5":
      return [
        "AUTH CRAM-MD5",
        (challenge) => {
          const bytes = Buffer.from(challenge, "base64");
          return base64(`${user} ${createHmac("md5", password).update(bytes).digest("hex")}`);
        },
      ];
    // The password is an access token.
    case "XOAUTH2":
      return [`AUTH XOAUTH2 ${bearerLogin(login)}`];
  }
}

/** null: the relay has accepted it. */
async function logIn(
  connection: SmtpConnection,
  login: NonNullable<Login>,
  offered: readonly string[],
): Promise<Refused | null> {
  const mechanism = mechanisms.find((name) => offered.includes(name)) ?? "PLAIN";
  const [first, ...responses] = loginLines(mechanism, login);
  const isChallenge = (reply: Answer): reply is Reply => !isFailure(reply) && reply.code === 334;
  let answer = await connection.ask(first);
  for (const respond of responses) {
    if (!isChallenge(answer)) return refused(connection, "login", "Invalid login sequence", answer);
    answer = await connection.ask(respond(answer.words.slice(4)));
  }
  // With a challenge the relay says why it refuses a token; the refusal follows an empty line.
  if (mechanism === "XOAUTH2" && isChallenge(answer)) answer = await connection.ask("");
  if (isPositive(answer)) return null;
  const problem = isChallenge(answer)
    ? "the relay asked for more than user and password; check which login methods it offers"
    : "Invalid login";
  return refused(connection, "login", problem, answer);
}

interface Greeting {
  readonly welcome: Promise<Answer>;
  readonly login: Login;
  readonly name: string;
  /** With TLS from the start, there is no STARTTLS. */
  readonly startTls: "never" | "if offered" | "always";
  readonly tls: ConnectionOptions;
}
/** Until messages can be sent. */
async function greet(connection: SmtpConnection, greeting: Greeting): Promise<Offers | Refused> {
  const { login, name, startTls, tls } = greeting;
  const welcome = await greeting.welcome;
  if (isFailure(welcome) || welcome.code !== 220)
    return refused(connection, "greeting", "Invalid greeting", welcome);
  let offers = await sayHello(connection, name, startTls === "always");
  if ("kind" in offers) return offers;
  if (startTls === "always" || (startTls === "if offered" && offers.has("STARTTLS"))) {
    const reply = await connection.ask("STARTTLS");
    if (!isPositive(reply))
      return refused(connection, "greeting", "Error upgrading connection with STARTTLS", reply);
    const failure = await connection.startTls(tls);
    if (failure !== null) return failed("greeting", failure.text);
    // Whatever it offered before can be forged.
    offers = await sayHello(connection, name, startTls === "always");
    if ("kind" in offers) return offers;
  }
  const refusal = login === null ? null : await logIn(connection, login, offers.get("AUTH") ?? []);
  return refusal ?? offers;
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** A domain that is not ASCII has another form that is. */
function asciiDomain(address: string): string {
  if (isAscii(address)) return address;
  const at = address.lastIndexOf("@");
  return address.slice(0, at + 1) + domainToASCII(address.slice(at + 1));
}
/** Such an address would end the command that it is in. */
const endsCommand = (address: string): boolean => /[\p{Cc}<>]/u.test(address);
const rejected = (stage: SmtpStage, code: number, status: string | null, text: string): HandOver => ({
  ...{ kind: "rejected", stage, code, status },
  text: cleanText(text),
});

export class SmtpSession {
  readonly #connection: SmtpConnection;
  readonly #offers: Offers;
  readonly #timeouts: SmtpTimeouts;
  #messages = 0;

  private constructor(connection: SmtpConnection, offers: Offers, timeouts: SmtpTimeouts) {
    this.#connection = connection;
    this.#offers = offers;
    this.#timeouts = timeouts;
  }

  /** An abort of the signal ends the attempt at once. */
  static async open(
    { host, port, login, isSecure }: SmtpAddress,
    { timeouts, allowsInnerAddresses, ca, name }: SmtpSettings,
    signal: AbortSignal | null = null,
  ): Promise<SmtpSession | Refused> {
    const attempt = { host, port, connectMs: timeouts.connect, allowsInnerAddresses, signal };
    const socket = await dial(attempt).catch((error: unknown) => failed("connect", errorText(error)));
    if ("kind" in socket) return socket;
    const isLoopback = isLoopbackAddress(socket.remoteAddress ?? "");
    const connection = new SmtpConnection(socket, login);
    const giveUp = (text: string): void => connection.end({ kind: "relay failed", text });
    let missing = "TLS";
    const timer = setTimeout(
      () => giveUp(`no ${missing} within ${timeouts.greeting / 1000} s`),
      timeouts.greeting,
    );
    signal?.addEventListener("abort", () => giveUp(STOPPED), { once: true });
    const tls = {
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: !(isLoopback && login === null),
      ...(ca === null ? {} : { ca }),
    };
    // It can arrive together with the end of the handshake.
    const welcome = connection.nextReply();
    if (isSecure) await connection.startTls(tls);
    missing = "reply";
    const needsTls = login !== null && !isLoopback;
    const startTls = isSecure ? "never" : needsTls ? "always" : "if offered";
    const offers = await greet(connection, { welcome, login, name: name ?? ownName(), startTls, tls });
    clearTimeout(timer);
    if (!("kind" in offers)) return new SmtpSession(connection, offers, timeouts);
    giveUp(CLOSED);
    return offers;
  }

  /** How many messages it was used for. */
  get messages(): number {
    return this.#messages;
  }
  get hasEnded(): boolean {
    return this.#connection.failure !== null;
  }

  /** One at a time. Never rejects, and always comes to an end. */
  async send({ envelope, bytes, ...message }: OutgoingMessage): Promise<HandOver> {
    const [from, to] = [asciiDomain(envelope.from), asciiDomain(envelope.to)];
    const needsSmtpUtf8 = message.needsSmtpUtf8 || !isAscii(from + to);
    if (needsSmtpUtf8 && !this.#offers.has("SMTPUTF8")) return { kind: "needs SMTPUTF8" };
    this.#messages += 1;
    const maxSize = Number(this.#offers.get("SIZE")?.[0] ?? 0);
    if (maxSize > 0 && bytes.byteLength > maxSize)
      return rejected("mail", 552, "5.3.4", `Message size larger than allowed ${maxSize}`);
    if (endsCommand(from)) return rejected("mail", 553, null, `Invalid sender ${JSON.stringify(from)}`);
    if (to === "" || endsCommand(to))
      return rejected("rcpt", 553, null, `Invalid recipient ${JSON.stringify(to)}`);
    const mail = [
      `MAIL FROM:<${from}>`,
      ...(needsSmtpUtf8 ? ["SMTPUTF8"] : []),
      ...(needsSmtpUtf8 && this.#offers.has("8BITMIME") ? ["BODY=8BITMIME"] : []),
      ...(this.#offers.has("SIZE") ? [`SIZE=${bytes.byteLength}`] : []),
    ].join(" ");
    const isPipelined = this.#offers.has("PIPELINING");
    const transaction = { mail, rcpt: `RCPT TO:<${to}>`, isPipelined, bytes };
    return await exchange(this.#connection, transaction, this.#timeouts);
  }

  /** Ends a transaction that was rejected, so that the next message can begin. False: it cannot. */
  async reset(): Promise<boolean> {
    const timer = setTimeout(() => this.end(), this.#timeouts.envelope);
    const answer = await this.#connection.ask("RSET");
    clearTimeout(timer);
    return isPositive(answer);
  }

  /** Says goodbye; the relay has two seconds for its reply. */
  quit(): void {
    if (!this.hasEnded) void this.#connection.quit(QUIT_MS);
  }

  /** At once. A message on its way is lost. */
  end(): void {
    this.#connection.end({ kind: "lost", text: CLOSED });
  }
}

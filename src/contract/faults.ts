/**
 * Every fault there is: code, SOAP 1.1 and 1.2 fault code, HTTP status. A code without an entry does not
 * compile. Texts that depend on the case are given where a fault is thrown; they say what to do.
 *
 * SOAP 1.2 Sender faults are 500 on purpose, as on ASMX: .NET clients turn a 400 into a bare transport error.
 */

interface FaultKind {
  readonly blame: "client" | "server" | "version" | "mustUnderstand";
  readonly status: 400 | 413 | 415 | 500 | 503;
  /** When it occurs, for the reference documentation. */
  readonly when: string;
}

export const faultKinds = {
  InvalidApiKey: { blame: "client", status: 500, when: "the key is missing, unknown, revoked or expired" },
  NotAllowed: { blame: "client", status: 500, when: "a read-only key calls a writing operation" },
  UnknownCampaign: { blame: "client", status: 500, when: "the account has no campaign with that id" },
  InvalidParameter: {
    blame: "client",
    status: 500,
    when: "a value does not match its XML Schema type, the dataType of a new field is missing, or an array has more than 10,000 records",
  },
  UnknownPath: {
    blame: "client",
    status: 500,
    when: "SOAP was posted to a path that is not an endpoint; the text names the right address",
  },
  UnknownOperation: { blame: "client", status: 500, when: "no such operation, or an empty Body" },
  UnknownNamespace: {
    blame: "client",
    status: 500,
    when: "the operation is in an unknown namespace",
  },
  ActionMismatch: { blame: "client", status: 500, when: "the action and the Body name different operations" },
  InvalidMessage: {
    blame: "client",
    status: 400,
    when: "the body is not well-formed XML, has no Envelope or Body, has two operations or a DTD, is nested too deeply, cannot be decompressed, or has a charset that cannot be decoded (such as ibm850)",
  },
  VersionMismatch: { blame: "version", status: 500, when: "the Envelope is in neither SOAP namespace" },
  MustUnderstand: {
    blame: "mustUnderstand",
    status: 500,
    when: "a SOAP header has mustUnderstand, and Mailroll does not support that header",
  },
  UnsupportedMediaType: {
    blame: "client",
    status: 415,
    when: "the media type is neither text/xml nor application/soap+xml, or the Content-Type has more than 1,024 characters",
  },
  TooLarge: { blame: "client", status: 413, when: "the body is over the limit" },
  Throttled: {
    blame: "server",
    status: 503,
    when: "too many calls, authentication failures or long lists; the response has Retry-After",
  },
  Unavailable: {
    blame: "server",
    status: 503,
    when: "the database does not answer; the response has Retry-After",
  },
  InternalError: {
    blame: "server",
    status: 500,
    when: "a defect; the text contains a reference that is also in the log",
  },
} as const satisfies Record<string, FaultKind>;

export type FaultCode = keyof typeof faultKinds;
/** The same request may succeed later: the response says when, in Retry-After. */
type RetryCode = "Throttled" | "Unavailable";

interface FaultOptions extends ErrorOptions {
  /** The path or namespace that is not served: the operator needs it in the log to accept it. */
  readonly unknown?: string;
}
interface RetryOptions extends FaultOptions {
  readonly retryAfterSeconds: number;
}

/** For faults of unknown duration. */
export const RETRY_AFTER_SECONDS = 5;

export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  /** A number for Throttled and Unavailable, null for all others. */
  readonly retryAfterSeconds: number | null;
  readonly unknown: string | null;

  constructor(code: Exclude<FaultCode, RetryCode>, text: string, options?: FaultOptions);
  constructor(code: RetryCode, text: string, options: RetryOptions);
  constructor(code: FaultCode, text: string, options: FaultOptions | RetryOptions = {}) {
    super(text, options);
    this.code = code;
    this.retryAfterSeconds = "retryAfterSeconds" in options ? options.retryAfterSeconds : null;
    this.unknown = options.unknown ?? null;
  }

  get kind(): FaultKind {
    return faultKinds[this.code];
  }
}

/**
 * What people send with: how a relay of each provider is reached, what it does to a message, and what a
 * person has to do there. A provider is recognised by the host of the relay. The table is printed in
 * `docs/guide/providers.md`.
 */
import type { Finding } from "./finding.ts";
import { parseRelayUrl, type RelayAddress, withoutPassword, withPassword } from "./relay.ts";
import type { Sender } from "./sender.ts";

/** What is asked for: the host is that of the provider, unless it is asked for. */
export const providerInputs = ["region", "host", "user", "password", "stream"] as const;
export type ProviderInput = (typeof providerInputs)[number];

export interface Provider {
  readonly label: string;
  /** The host by region; `{region}` stands for any. The first one is used if no region is given. */
  readonly hosts: Readonly<Record<string, string>>;
  /** Other hosts of it, by their end. */
  readonly otherHosts?: readonly string[];
  readonly ports: { readonly startTls: readonly number[]; readonly tls: readonly number[] };
  /** The user that everybody has. */
  readonly user?: string;
  readonly asks: readonly ProviderInput[];
  /** What the user and the password are called there. */
  readonly credentials: string;
  readonly signs: "relay" | "mailroll";
  /** Headers that it replaces: a signature of ours does not cover them. */
  readonly replaces: readonly string[];
  /** It changes the content, so no signature of ours survives. */
  readonly changesBody: boolean;
  /** Bounces go to the provider, whatever the envelope says. */
  readonly takesBounces: boolean;
  /**
   * How its tracking is switched off, which would rewrite links and count opens: by headers of each message,
   * or by a setting there. null: it has none.
   */
  readonly tracking: { readonly headers: readonly Header[] } | { readonly setting: string } | null;
  /** What a person does there. */
  readonly steps: readonly [string, string, string];
  /** How it reports what became of messages; absent: it does not. */
  readonly events?: {
    readonly proof: EventProof;
    /** What a person copies from there, as it is called there; absent: nothing. */
    readonly key?: string;
    /** The header that comes back with an event; `{token}` stands for the token of the message. */
    readonly metadata?: Header;
    /** It posts up to some thousand events at once. */
    readonly sendsBatches?: boolean;
    /** What a person does there. */
    readonly step: string;
  };
}
type Header = readonly [name: string, value: string];

/**
 * What proves that an event comes from the provider: the signature of Amazon SNS; a signature by a key of the
 * provider, of which a person gives the public part (ECDSA or RSA); a secret of the provider that a person
 * gives (Mailgun, or Svix for others); or, where nothing is signed, a password that Mailroll makes.
 */
export const eventProofs = ["sns", "ecdsa", "rsa", "mailgun", "svix", "password"] as const;
export type EventProof = (typeof eventProofs)[number];

const submission = { startTls: [587, 2525, 25], tls: [465] } as const;
const ownServer = {
  hosts: {},
  ports: submission,
  asks: ["host", "user", "password"],
  signs: "mailroll",
  replaces: [],
  changesBody: false,
  takesBounces: false,
  tracking: null,
} as const;

export const providers = {
  ses: {
    label: "Amazon SES",
    hosts: { "{region}": "email-smtp.{region}.amazonaws.com" },
    ports: { startTls: [587, 2587, 25], tls: [465, 2465] },
    asks: ["region", "user", "password"],
    credentials: "user name and password of SMTP credentials (not an access key of AWS)",
    signs: "relay",
    replaces: ["Date", "Message-ID", "Return-Path", "Feedback-ID"],
    changesBody: false,
    takesBounces: true,
    tracking: {
      setting: "The default configuration set of the identity must not publish opens or clicks.",
    },
    steps: [
      "Choose a region, and do all this in it. Create an identity for the domain of the From address, with Easy DKIM, and publish the DNS records that Amazon SES lists.",
      "Request production access: until then, only verified addresses get mail.",
      "Create SMTP credentials. The password is shown only then.",
    ],
    events: {
      proof: "sns",
      metadata: ["X-SES-MESSAGE-TAGS", "mailroll={token}"],
      step: "In Amazon SNS, create a standard topic in the same region. Create a subscription for it: protocol HTTPS, the webhook URL as the endpoint, raw message delivery off. Confirm the topic in Mailroll. In Amazon SES, create a configuration set with an event destination for the topic, for hard bounces, complaints, deliveries and rejects. Make it the default configuration set of the identity.",
    },
  },
  sendgrid: {
    label: "SendGrid",
    hosts: { "": "smtp.sendgrid.net" },
    ports: submission,
    user: "apikey",
    asks: ["password"],
    credentials: "as the password, an API key with the permission Mail Send",
    signs: "relay",
    replaces: ["Date"],
    changesBody: true,
    takesBounces: true,
    tracking: {
      headers: [
        [
          "X-SMTPAPI",
          '{"filters":{"clicktrack":{"settings":{"enable":0}},"opentrack":{"settings":{"enable":0}}}}',
        ],
      ],
    },
    steps: [
      "Authenticate the domain of the From address (Sender Authentication).",
      "Create an API key with the permission Mail Send only.",
      "Switch Subscription Tracking off: each message has its own unsubscribe link.",
    ],
    events: {
      proof: "ecdsa",
      key: "the verification key of the signed event webhook",
      metadata: ["X-SMTPAPI", '{"unique_args":{"mailroll":"{token}"}}'],
      sendsBatches: true,
      step: "In Settings, Mail Settings, create an event webhook with the webhook URL. Choose Delivered, Bounced, Dropped, Spam Reports, Unsubscribes and Group Unsubscribes. Switch Signed Event Webhook on, and give Mailroll its verification key.",
    },
  },
  mailgun: {
    label: "Mailgun",
    hosts: { us: "smtp.mailgun.org", eu: "smtp.eu.mailgun.org" },
    ports: submission,
    asks: ["region", "user", "password"],
    credentials: "SMTP credentials of the domain; the user is such as postmaster@mg.example.org",
    signs: "relay",
    replaces: [],
    changesBody: true,
    takesBounces: true,
    tracking: {
      headers: [
        ["X-Mailgun-Track", "no"],
        ["X-Mailgun-Track-Clicks", "no"],
        ["X-Mailgun-Track-Opens", "no"],
      ],
    },
    steps: [
      "Add a domain of your own, and publish the DNS records that Mailgun lists.",
      "Note its region: US or EU.",
      "Create SMTP credentials for the domain.",
    ],
    events: {
      proof: "mailgun",
      key: "the HTTP webhook signing key",
      metadata: ["X-Mailgun-Variables", '{"mailroll":"{token}"}'],
      step: "Add the webhook URL to the webhooks of the domain: delivered messages, permanent failure, spam complaints and unsubscribes. Give Mailroll the HTTP webhook signing key.",
    },
  },
  postmark: {
    label: "Postmark",
    hosts: { "": "smtp-broadcasts.postmarkapp.com" },
    otherHosts: ["smtp.postmarkapp.com"],
    ports: { startTls: [587, 2525, 25], tls: [] },
    asks: ["user", "password", "stream"],
    credentials:
      "of an SMTP token of the broadcast stream, the access key as the user and the secret key as the password",
    signs: "relay",
    replaces: [],
    changesBody: true,
    takesBounces: true,
    tracking: {
      headers: [
        ["X-PM-TrackOpens", "false"],
        ["X-PM-TrackLinks", "None"],
        ["X-PM-KeepID", "true"],
      ],
    },
    steps: [
      "Verify the domain of the From address, with DKIM and Return-Path.",
      "Create a broadcast stream, or use the one called broadcasts; campaigns are not allowed in a transactional stream.",
      "Generate an SMTP token in the settings of that stream.",
    ],
    events: {
      proof: "password",
      metadata: ["X-PM-Metadata-mailroll", "{token}"],
      step: "Add a webhook with the webhook URL to the broadcast stream, with the user and the password as basic authentication. Choose Delivery, Bounce, Spam Complaint and Subscription Change.",
    },
  },
  brevo: {
    label: "Brevo",
    hosts: { "": "smtp-relay.brevo.com" },
    otherHosts: ["smtp-relay.sendinblue.com"],
    ports: submission,
    asks: ["user", "password"],
    credentials: "the SMTP login as the user, and an SMTP key (not an API key) as the password",
    signs: "relay",
    replaces: ["Message-ID"],
    changesBody: true,
    takesBounces: true,
    tracking: { setting: "Switch it off in the settings of Brevo." },
    steps: [
      "Authenticate the domain of the From address: mail of a sender that is not valid is accepted and dropped.",
      "Have the SMTP account activated.",
      "Create an SMTP key.",
    ],
    events: {
      proof: "password",
      metadata: ["X-Mailin-custom", "{token}"],
      step: "Create a webhook for transactional mail with the webhook URL, and with the password as a bearer token. Choose delivered, hard bounce, soft bounce, blocked, invalid email, error, complaint and unsubscribed.",
    },
  },
  mailjet: {
    label: "Mailjet",
    hosts: { "": "in-v3.mailjet.com" },
    ports: submission,
    asks: ["user", "password"],
    credentials: "the API key as the user, and the secret key as the password",
    signs: "relay",
    replaces: ["Message-ID"],
    changesBody: true,
    takesBounces: true,
    tracking: {
      headers: [
        ["X-Mailjet-TrackOpen", "0"],
        ["X-Mailjet-TrackClick", "0"],
      ],
    },
    steps: [
      "Validate the domain of the From address.",
      "Publish its DKIM and SPF records.",
      "Take the API key and the secret key of the account.",
    ],
    events: {
      proof: "password",
      metadata: ["X-MJ-CustomID", "{token}"],
      sendsBatches: true,
      step: "In the event notifications, enter the webhook URL for sent, bounce, blocked, spam and unsub, with grouped events. Put the user and the password into it: https://mailroll:PASSWORD@…",
    },
  },
  smtp2go: {
    label: "SMTP2GO",
    hosts: {
      "": "mail.smtp2go.com",
      us: "mail-us.smtp2go.com",
      eu: "mail-eu.smtp2go.com",
      au: "mail-au.smtp2go.com",
    },
    ports: { startTls: [587, 2525, 8025, 25, 80], tls: [465, 8465, 443] },
    asks: ["region", "user", "password"],
    credentials: "an SMTP user and its password",
    signs: "relay",
    replaces: [],
    changesBody: true,
    takesBounces: true,
    tracking: { setting: "Switch it off for the SMTP user." },
    steps: [
      "Verify the domain of the From address (Verified Senders).",
      "Create an SMTP user.",
      "Switch click tracking and open tracking off.",
    ],
    events: {
      proof: "password",
      metadata: ["X-Mailroll", "{token}"],
      step: "In Settings, Webhooks, add a webhook with the webhook URL, and with the user and the password as its authorization. Choose Delivered, Bounce, Spam, Unsubscribe and Reject, and enter X-Mailroll under Email headers.",
    },
  },
  resend: {
    label: "Resend",
    hosts: { "": "smtp.resend.com" },
    ports: { startTls: [587, 2587, 25], tls: [465, 2465] },
    user: "resend",
    asks: ["password"],
    credentials: "as the password, an API key",
    signs: "relay",
    replaces: ["Date", "Message-ID"],
    changesBody: true,
    takesBounces: true,
    tracking: { setting: "Leave it off for the domain, as it is at first." },
    steps: [
      "Add the domain of the From address, and publish the DNS records that Resend lists.",
      "Wait until the domain is verified.",
      "Create an API key for sending.",
    ],
    events: {
      proof: "svix",
      key: "the signing secret of the webhook",
      step: "Add a webhook with the webhook URL. Choose email.delivered, email.bounced, email.complained, email.failed and email.suppressed. Give Mailroll its signing secret. Resend does not say to which campaign an event belongs: people are suppressed, but no campaign counts it, and complaints do not pause a campaign.",
    },
  },
  sparkpost: {
    label: "SparkPost",
    hosts: { us: "smtp.sparkpostmail.com", eu: "smtp.eu.sparkpostmail.com" },
    ports: { startTls: [587, 2525], tls: [] },
    user: "SMTP_Injection",
    asks: ["region", "password"],
    credentials: "as the password, an API key with the permission Send via SMTP",
    signs: "relay",
    replaces: [],
    changesBody: true,
    takesBounces: true,
    tracking: {
      headers: [["X-MSYS-API", '{"options":{"open_tracking":false,"click_tracking":false}}']],
    },
    steps: [
      "Add the domain of the From address as a sending domain, and verify it.",
      "Note the region of the account: US or EU.",
      "Create an API key with the permission Send via SMTP.",
    ],
    events: {
      proof: "password",
      metadata: ["X-MSYS-API", '{"metadata":{"mailroll":"{token}"}}'],
      sendsBatches: true,
      step: "Create a webhook with the webhook URL, and with the user and the password as basic authentication. Choose delivery, bounce, out of band, policy rejection, generation rejection, generation failure, spam complaint, list unsubscribe and link unsubscribe.",
    },
  },
  postal: {
    ...ownServer,
    label: "Postal",
    credentials: "SMTP credentials of a mail server in Postal",
    tracking: { setting: "Add no tracking domain to the mail server in Postal." },
    steps: [
      "Add the domain of the From address to a mail server in Postal, and publish its DNS records.",
      "Create SMTP credentials for that mail server.",
      "Publish the DKIM and DMARC records that Mailroll prints.",
    ],
    events: {
      proof: "rsa",
      key: "the public key of the installation, as the command postal default-dkim-record prints it",
      metadata: ["X-Postal-Tag", "{token}"],
      step: "Add a webhook with the webhook URL to the mail server. Choose MessageSent, MessageDeliveryFailed, MessageHeld and MessageBounced. Give Mailroll the public key of the installation.",
    },
  },
  google: {
    label: "Google Workspace",
    hosts: { "": "smtp-relay.gmail.com" },
    otherHosts: ["smtp.gmail.com"],
    ports: { startTls: [587], tls: [465] },
    asks: ["user", "password"],
    credentials: "a user of the domain with an app password",
    signs: "relay",
    replaces: [],
    changesBody: false,
    takesBounces: false,
    tracking: null,
    steps: [
      "Set up the SMTP relay service in the Admin console, with SMTP authentication and TLS.",
      "Switch DKIM on for the domain, and publish its record.",
      "Create an app password for the user that sends.",
    ],
  },
  microsoft: {
    label: "Microsoft 365",
    hosts: { "": "smtp.office365.com" },
    ports: { startTls: [587], tls: [] },
    asks: ["user", "password"],
    credentials: "a mailbox with Authenticated SMTP",
    signs: "relay",
    replaces: [],
    changesBody: false,
    takesBounces: false,
    tracking: null,
    steps: [
      "Allow Authenticated SMTP for the mailbox that sends.",
      "Switch DKIM on for the domain, and publish its records.",
      "Allow the mailbox to send as the From address. At most 30 messages a minute and 10,000 recipients a day are sent.",
    ],
  },
  hoster: {
    ...ownServer,
    label: "The mail server of your hosting provider",
    credentials: "a mailbox, usually with its whole address as the user",
    steps: [
      "Create a mailbox at your hosting provider, and note its server for outgoing mail.",
      "Ask how many messages a day are allowed, and set that limit. If a quota of an hour is used up, a campaign waits and continues by itself.",
      "Publish the DKIM and DMARC records that Mailroll prints. For SPF, use what your hosting provider says; a domain may have only one SPF record.",
    ],
  },
  own: {
    ...ownServer,
    label: "A mail server of your own",
    credentials: "a user that may relay; none if the server allows this machine",
    steps: [
      "Let the server accept mail of this machine or this user.",
      "Give its address a name in the reverse DNS.",
      "Publish the DNS records that Mailroll prints. A domain may have only one SPF record: add the server to one that is there.",
    ],
  },
} as const satisfies Readonly<Record<string, Provider>>;
export type ProviderName = keyof typeof providers;
export const providerNames = Object.keys(providers) as readonly ProviderName[];
export const providerOf = (name: ProviderName): Provider => providers[name];

/** Of whom events are understood, and a plain form for everybody else. */
const withEvents = providerNames.filter(
  (name): name is Exclude<ProviderName, WithoutEvents> => providerOf(name).events !== undefined,
);
type WithoutEvents = "google" | "microsoft" | "hoster" | "own";
export const webhookProviders = [...withEvents, "plain"] as const;
export type WebhookProvider = (typeof webhookProviders)[number];
/** How its events are proved. */
export const eventsOf = (
  name: WebhookProvider,
): NonNullable<Provider["events"]> & { readonly label: string } =>
  name === "plain"
    ? plainEvents
    : { ...plainEvents, sendsBatches: false, ...providerOf(name).events, label: providerOf(name).label };
const plainEvents = {
  label: "Another program",
  proof: "password",
  sendsBatches: true,
  step: "Let the program post events as JSON to the webhook URL, with the user and the password or the password as a bearer token.",
} as const;

const hostPatterns = providerNames.map((name) => {
  const { hosts, otherHosts = [] } = providerOf(name);
  const patterns = [...Object.values(hosts), ...otherHosts].map(
    (host) => new RegExp(`^${host.replaceAll(".", "\\.").replace("{region}", "[a-z0-9-]+")}$`),
  );
  return { name, patterns };
});

/** Also without its password, as users see it. null: no SMTP server. */
function smtpUrl(url: string): URL | null {
  const parsed = URL.parse(url);
  return parsed?.protocol === "smtp:" || parsed?.protocol === "smtps:" ? parsed : null;
}
/** null: another server, about which nothing is known. */
export function recognisedProvider(url: string): ProviderName | null {
  const host = smtpUrl(url)?.hostname.toLowerCase() ?? "";
  return hostPatterns.find(({ patterns }) => patterns.some((pattern) => pattern.test(host)))?.name ?? null;
}
export const recognisedProviders = (urls: readonly string[]): readonly ProviderName[] => [
  ...new Set(urls.map(recognisedProvider).filter((name) => name !== null)),
];

/** What a person gives for a new relay; the password may come later. */
export type ProviderAnswers = Partial<Readonly<Record<ProviderInput, string>>>;
interface Problem {
  readonly input: ProviderInput;
  readonly problem: string;
}

/** The address of the relay, as `relays` of a sender have it. */
export function relayOfProvider(name: ProviderName, answers: ProviderAnswers): { url: string } | Problem {
  const { asks, user: fixedUser, hosts, label }: Provider = providerOf(name);
  const answer = (input: ProviderInput): string => (answers[input] ?? "").trim();
  for (const input of providerInputs)
    if (answer(input) !== "" && !asks.includes(input))
      return { input, problem: `is not needed for ${label}` };
  const region = answer("region").toLowerCase();
  const regions = Object.keys(hosts);
  const key = regions.includes("{region}") ? "{region}" : region === "" ? (regions[0] ?? "") : region;
  if (key === "{region}" && !/^[a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}$/.test(region))
    return { input: "region", problem: "must be the name of a region, such as eu-west-1" };
  const known = Object.hasOwn(hosts, key) ? hosts[key] : undefined;
  const host = asks.includes("host") ? answer("host") : known?.replace("{region}", region);
  if (host === undefined)
    return { input: "region", problem: `must be one of ${regions.filter((one) => one !== "").join(", ")}` };
  if (host === "" || /[\s/@?#]/.test(host))
    return { input: "host", problem: "must be the name of the mail server, such as mail.example.org" };
  const user = fixedUser ?? answer("user");
  if (user === "" && name !== "own") return { input: "user", problem: "must not be empty" };
  const stream = answer("stream");
  if (stream !== "" && !/^[\w-]{1,50}$/.test(stream))
    return { input: "stream", problem: "must be the ID of a message stream, such as broadcasts" };
  const port = /:\d+$/.test(host) || user === "" ? "" : ":587";
  const login = user === "" ? "" : `${encodeURIComponent(user)}@`;
  const query = stream === "" || stream === DEFAULT_STREAM ? "" : `/?stream=${stream}`;
  const url = `smtp://${login}${host}${port}${query}`;
  const parsed = URL.canParse(url) ? parseRelayUrl(user === "" ? url : withPassword(url, "x")) : null;
  if (parsed === null) return { input: "host", problem: "must be a name with at most one port" };
  if ("problem" in parsed) return { input: "host", problem: `cannot be used: ${parsed.problem}` };
  return { url: answer("password") === "" ? url : withPassword(url, answer("password")) };
}

const DEFAULT_STREAM = "broadcasts";

/** In the value of a header: the token of the message, by which an event finds its campaign. */
export const MESSAGE_TOKEN = "{token}";

/** Headers that the relays of a sender need in each message; a name occurs once. */
export function relayHeaders(urls: readonly string[]): readonly Header[] {
  const headers = new Map<string, string>();
  for (const url of urls) {
    const name = recognisedProvider(url);
    if (name === null) continue;
    const { tracking, events } = providerOf(name);
    const switches = tracking !== null && "headers" in tracking ? tracking.headers : [];
    for (const [header, value] of [...switches, ...(events?.metadata === undefined ? [] : [events.metadata])])
      headers.set(header, merged(headers.get(header), value));
    if (name === "postmark")
      headers.set("X-PM-Message-Stream", smtpUrl(url)?.searchParams.get("stream") ?? DEFAULT_STREAM);
  }
  return [...headers];
}
/** A header may occur once: what is JSON has both in one. */
const merged = (before: string | undefined, value: string): string =>
  before?.startsWith("{") === true ? JSON.stringify({ ...JSON.parse(before), ...JSON.parse(value) }) : value;

/** Headers that a relay of the sender replaces. */
export const replacedHeaders = (urls: readonly string[]): readonly string[] =>
  recognisedProviders(urls).flatMap((name) => providerOf(name).replaces);

/** Who signs if nobody says otherwise. */
export const usualSigning = (urls: readonly string[]): "relay" | "mailroll" => {
  const names = urls.map(recognisedProvider);
  return urls.length > 0 && names.every((name) => name !== null && providerOf(name).signs === "relay")
    ? "relay"
    : "mailroll";
};

/** Whether all messages go to providers to which bounces go, so that their SPF records count. */
export const takeBounces = (urls: readonly string[]): boolean =>
  urls.length > 0 &&
  urls.map(recognisedProvider).every((name) => name !== null && providerOf(name).takesBounces);

/** Where the sender and the provider of a relay contradict each other, and what to do there. */
export function judgeProvider(sender: Sender, url: string): readonly Finding[] {
  const name = recognisedProvider(url);
  const address = parseRelayUrl(url);
  if (name === null || !("kind" in address) || address.kind !== "smtp") return [];
  const provider = providerOf(name);
  const { label } = provider;
  const where = withoutPassword(url);
  const finding = (state: "wrong" | "note", text: string): Finding => ({
    ...{ subject: "relay", state, where, text, found: [], record: null },
  });
  return [
    ...signingFindings(sender, provider).map(([state, text]) => finding(state, text)),
    ...addressFindings(name, address).map((text) => finding("wrong", text)),
    ...(provider.takesBounces && sender.bounceDomain !== null
      ? [
          finding(
            "note",
            `${label} replaces the address for bounces, so none come to ${sender.bounceDomain}.`,
          ),
        ]
      : []),
    ...(provider.tracking !== null && "setting" in provider.tracking
      ? [
          finding(
            "note",
            `Tracking would rewrite links, the unsubscribe link too, and only a setting at ${label} prevents it. ${provider.tracking.setting}`,
          ),
        ]
      : []),
  ];
}

function signingFindings(
  { signing }: Sender,
  { label, signs, changesBody }: Provider,
): readonly (readonly ["wrong" | "note", string])[] {
  if (signing === "relay" && signs === "mailroll")
    return [["wrong", `${label} does not sign messages. Have Mailroll sign them.`]];
  if (signing !== "mailroll" || signs === "mailroll") return [];
  return changesBody
    ? [
        [
          "wrong",
          `${label} changes messages, which breaks the signature of Mailroll. Have the relay sign them.`,
        ],
      ]
    : [
        [
          "note",
          `${label} can sign messages itself. Some providers refuse a message that is signed already ("Duplicate header"): then have the relay sign.`,
        ],
      ];
}

function addressFindings(
  name: ProviderName,
  { host, port, isSecure, login }: Extract<RelayAddress, { readonly kind: "smtp" }>,
): readonly string[] {
  const { label, ports, user, otherHosts = [] }: Provider = providerOf(name);
  const usable = isSecure ? ports.tls : ports.startTls;
  const [own = ""] = Object.values(providerOf(name).hosts);
  return [
    ...(usable.includes(port)
      ? []
      : [
          `${label} does not accept ${isSecure ? "smtps:" : "smtp:"} at port ${port}. Use smtp: with ${ports.startTls.join(" or ")}${ports.tls.length === 0 ? "" : `, or smtps: with ${ports.tls.join(" or ")}`}.`,
        ]),
    ...(user === undefined || login?.user.split(":")[0] === user
      ? []
      : [`The user of ${label} is always ${user}.`]),
    ...(name === "postmark" && otherHosts.includes(host.toLowerCase())
      ? [`${host} is for transactional mail only. Use ${own} for campaigns.`]
      : []),
  ];
}

/**
 * Hashes and checks passwords, few at a time: each run takes much memory and one of Node's few threads, and
 * any client can cause one. The others wait in two queues. Known clients go first, so other clients cannot
 * keep them out. In each queue a client has few places. What does not fit is refused at once with Throttled.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { hasAtMost } from "#domain/text.ts";

// Hashes of passwords: scrypt, with the parameters in the text of the hash, so that they can be raised later.
// The text has the form of the PHC string format: `$scrypt$ln=15,r=8,p=3$salt$hash`.

/** `ln` is the binary logarithm of scrypt's N. A run takes 128 × 2^ln × r bytes. */
interface ScryptCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and about 0.1 s: OWASP's recommendation for little memory. */
export const COST: ScryptCost = { ln: 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const HASH = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

interface ParsedHash {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

async function hashPassword(password: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return textOf({ cost, salt, hash: await derive(password, salt, cost) });
}

/** Takes the same time whatever the password is. */
async function isPassword(password: string, stored: string): Promise<boolean> {
  const { cost, salt, hash } = parse(stored);
  return timingSafeEqual(await derive(password, salt, cost), hash);
}

const hasCost = (stored: string, { ln, r, p }: ScryptCost): boolean => {
  const { cost } = parse(stored);
  return cost.ln === ln && cost.r === r && cost.p === p;
};

/** A hash that no password has; to compare with if there is none. */
const noPassword = (cost: ScryptCost): string =>
  textOf({ cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) });

const textOf = ({ cost: { ln, r, p }, salt, hash }: ParsedHash): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString("base64url")}$${hash.toString("base64url")}`;

function parse(stored: string): ParsedHash {
  const [, ln, r, p, salt, hash] = HASH.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) throw new Error("a stored password hash is malformed");
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  };
}

/** The same characters may be typed in several forms of Unicode. */
function derive(password: string, salt: Buffer, { ln, r, p }: ScryptCost): Promise<Buffer> {
  const N = 2 ** ln;
  // Node refuses to use more, and counts a little more than the formula.
  const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r * 2 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

const MAX_RUNNING = 2;
/** In each of the two queues. At two per 0.1 s, the last one waits for a second. */
export const MAX_WAITING = 10;
/** Of one client, in each queue: a client that sends many delays the others by two. */
export const MAX_OF_CLIENT = 2;
export const MAX_PASSWORD_LENGTH = 256;

interface Waiting {
  readonly client: string;
  readonly start: () => void;
}

export class Passwords {
  readonly #cost: ScryptCost;
  /** What an unknown user's password is compared with, so that it takes as long as a wrong one. */
  readonly #none: string;
  readonly #known: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #running = 0;

  constructor(cost: ScryptCost = COST) {
    this.#cost = cost;
    this.#none = noPassword(cost);
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#known.length + this.#others.length };
  }

  /** For a user who has proved who they are. `client`: where they are, if known. Throws Throttled. */
  hash(password: string, client = ""): Promise<string> {
    return this.#run(this.#known, client, () => hashPassword(password, this.#cost));
  }

  /**
   * `stored` is null if there is no such user, or if the user has no password. `isKnown`: the user has logged
   * in from the client. Throws Throttled.
   */
  async check(password: string, stored: string | null, client: string, isKnown: boolean): Promise<boolean> {
    // No user has a longer one, so it is not worth hashing.
    const isPossible = hasAtMost(MAX_PASSWORD_LENGTH, password) && stored !== null;
    return await this.#run(isKnown ? this.#known : this.#others, client, () =>
      isPossible ? isPassword(password, stored) : isPassword("", this.#none).then(() => false),
    );
  }

  /** Whether the hash was made with other parameters than new ones are. */
  isOutdated(stored: string): boolean {
    return !hasCost(stored, this.#cost);
  }

  async #run<Result>(queue: Waiting[], client: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= MAX_RUNNING) {
      const own = queue.filter((waiting) => waiting.client === client).length;
      if (queue.length >= MAX_WAITING || own >= MAX_OF_CLIENT) throw tooMany();
      await new Promise<void>((start) => queue.push({ client, start }));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next one takes the place.
      const next = this.#known.shift() ?? this.#others.shift();
      if (next === undefined) this.#running -= 1;
      else next.start();
    }
  }
}

/** Of this process: how many run at a time depends on its memory and threads, not on who asks. */
export const passwords = new Passwords();

const tooMany = (): Fault =>
  new Fault("Throttled", "Too many passwords are being checked. Try again in a few seconds.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

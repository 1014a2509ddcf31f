/**
 * Hashes of passwords: scrypt, with the parameters in the text of the hash, so that they can be raised later.
 * The text has the form of the PHC string format: `$scrypt$ln=15,r=8,p=3$salt$hash`.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/** `ln` is the binary logarithm of scrypt's N. A run takes 128 × 2^ln × r bytes. */
export interface ScryptCost {
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

export async function hashPassword(password: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return textOf({ cost, salt, hash: await derive(password, salt, cost) });
}

/** Takes the same time whatever the password is. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const { cost, salt, hash } = parse(stored);
  return timingSafeEqual(await derive(password, salt, cost), hash);
}

export const hasCost = (stored: string, { ln, r, p }: ScryptCost): boolean => {
  const { cost } = parse(stored);
  return cost.ln === ln && cost.r === r && cost.p === p;
};

/** A hash that no password has; to compare with if there is none. */
export const noPassword = (cost: ScryptCost): string =>
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

/** Preloaded by run.ts: a hash of full cost is made with little work. It takes 0.3 s of processor time. */
import crypto, { type BinaryLike, type ScryptOptions } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const FULL_COST = 2 ** 15;
const { scrypt } = crypto;

crypto.scrypt = ((
  password: BinaryLike,
  salt: BinaryLike,
  length: number,
  options: ScryptOptions,
  done: (error: Error | null, hash: Buffer) => void,
) =>
  scrypt(
    password,
    salt,
    length,
    options.N === FULL_COST ? { ...options, N: 16, p: 1 } : options,
    done,
  )) as typeof crypto.scrypt;
syncBuiltinESMExports();

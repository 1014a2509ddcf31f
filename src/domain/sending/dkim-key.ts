/** DKIM keys: RSA with 2,048 bits, which every receiver can verify, and which fits into a DNS record. */
import { createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";

const generate = promisify(generateKeyPair);

/** The private key as PEM. Takes up to a second, in a thread. */
export async function newDkimKey(): Promise<string> {
  const { privateKey } = await generate("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return privateKey;
}

/** The public key as the DNS record has it. */
export const publicKeyOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");

/** TLS versions, cipher suites and application protocols. The reasons: docs/decisions/0023-tls-suites.md. */
import type { SecureVersion } from "node:tls";

/** A certificate with its chain, and its key, in PEM form. */
export interface PemPair {
  readonly cert: string;
  readonly key: string;
}

const TLS_1_3 = ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"];
/** CBC comes last, for Java 7 and .NET on old Windows, which have nothing newer for an RSA certificate. */
const TLS_1_2 = ["ECDHE+AESGCM", "ECDHE+CHACHA20", "ECDHE+AES", "!AESCCM"];

export const OLDEST_VERSION: SecureVersion = "TLSv1.2";

/** The complete options, because setSecureContext resets versions and suites that it is not given. */
export const tlsOptions = ({ cert, key }: PemPair) => ({
  cert,
  key,
  minVersion: OLDEST_VERSION,
  ciphers: [...TLS_1_3, ...TLS_1_2].join(":"),
  ALPNProtocols: ["http/1.1", "http/1.0"],
});

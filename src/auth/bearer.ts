/** The API key of a JSON request: `Authorization: Bearer <key>` (RFC 6750). */
export const bearerOf = (authorization: string | undefined): string | null =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? "")?.[1] ?? null;

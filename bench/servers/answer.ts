/** A recorded answer of Mailroll, for other servers to send: the same bytes and headers. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Those that every server on Node adds by itself. */
const OWN_TO_THE_CONNECTION = new Set(["date", "connection", "keep-alive"]);

export async function answerOf(response: Response): Promise<Answer> {
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  const headers = [...response.headers].filter(([name]) => !OWN_TO_THE_CONNECTION.has(name));
  return { headers: Object.fromEntries(headers), body: Buffer.from(await response.bytes()) };
}

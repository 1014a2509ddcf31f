/**
 * An installation that has taken over from the old service what old programs have built in: key, ids and
 * namespace.
 */
import assert from "node:assert/strict";
import { Installation } from "../cli/program.ts";

export interface TakenOver {
  readonly installation: Installation;
  readonly endpoint: string;
  /** What is known about a subscriber. */
  show(email: string): Promise<Subscriber>;
}
export interface Subscriber {
  readonly values: readonly { readonly field: { readonly name: string }; readonly value: string }[];
}

export async function takeOver(): Promise<TakenOver> {
  const installation = new Installation();
  try {
    const { endpoint } = await installation.serve([], { MAILROLL_NAMESPACES: "http://old.example.org" });
    for (const [words, input] of [
      [["key", "create", "--label", "Old programs", "--key", "-"], "3F2A-old-SHOP-key\n"],
      [["list", "create", "Customers", "--id", "543181"]],
      [["field", "create", "Town", "--type", "STRING", "--id", "37328"]],
      [["field", "create", "Newsletter", "--type", "CONSENT", "--id", "9007199254740993"]],
      [["subscriber", "unsubscribe", "out@example.org"]],
    ] as const) {
      const { code, err } = await installation.run(words, { input: input ?? "" });
      assert.equal(code, 0, `${words.join(" ")}: ${err}`);
    }
    return {
      installation,
      endpoint,
      show: (email) => installation.json<Subscriber>("subscriber", "show", email),
    };
  } catch (error) {
    await installation.remove();
    throw error;
  }
}

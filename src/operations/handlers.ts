/**
 * The handlers of the operations: the same guard for each (key, scope), then its own translation. A missing,
 * extra or misspelt handler does not compile.
 */
import type { CallNotes } from "#auth/authenticator.ts";
import { Fault } from "#contract/faults.ts";
import { type Contract, contract, type Operations } from "#contract/operations.ts";
import type { Handlers, Operation } from "#contract/service.ts";
import type { ApiKey } from "#domain/access/key.ts";
import type { CallWrite } from "#domain/ports/refused-calls.ts";
import { toRecordedCall } from "#refused-calls/recorded-call.ts";
import type { AnyPerform, Caller, Guard, Perform, Services } from "./caller.ts";
import { asFault } from "./caller.ts";
import * as campaign from "./campaign.ts";
import * as client from "./client.ts";
import * as field from "./field.ts";
import * as subscriber from "./subscriber.ts";

const performers: { readonly [Name in keyof Operations]: Perform<Name> } = {
  "Subscriber.Add": subscriber.add,
  "Subscriber.AddwithBasicandCustoms": subscriber.addWithData,
  "Subscriber.Remove": subscriber.remove,
  "Subscriber.Unsubscribe": subscriber.unsubscribe,
  "Field.Add": field.add,
  "Field.GetFields": field.getFields,
  "Client.GetSubscribersLists": client.getSubscribersLists,
  "Client.GetCampaignsList": client.getCampaignsList,
  "Client.GetLastSentCampaign": client.getLastSentCampaign,
  "Client.TestApiConnection": client.testApiConnection,
  "Campaign.GetSubscribersLists": campaign.getSubscribersLists,
  "Campaign.GetUnsubscribesList": campaign.getUnsubscribesList,
  "Campaign.GetHardBouncesList": campaign.getHardBouncesList,
  "Subscriber.AddwithName": subscriber.addWithName,
  "Subscriber.AddwithNameandCustoms": subscriber.addWithNameAndCustoms,
};

/** In place of the store: hands over what a performer would write. */
const asWrite =
  (kind: CallWrite["kind"]) =>
  (args: unknown): Promise<unknown> =>
    Promise.resolve({ kind, args });
const writing = {
  subscribers: {
    add: asWrite("subscribers.add"),
    addWithData: asWrite("subscribers.addWithData"),
    remove: asWrite("subscribers.remove"),
    unsubscribe: asWrite("subscribers.unsubscribe"),
  },
  fields: { add: asWrite("fields.add") },
};

/** The write that an operation makes, as an operator who replays a call needs it. */
export const writeOf = (
  name: keyof Operations,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<CallWrite> =>
  (performers[name] as unknown as AnyPerform)(input, caller, {
    store: writing as unknown as Services["store"],
    clock: () => caller.at,
  }) as Promise<CallWrite>;

const INVALID_KEY =
  "The API key is missing, unknown, revoked or expired. The operator of this service makes one with: mailroll key create";
const NOT_ALLOWED =
  "This API key may only read. Use one with the scope full for operations that change something.";

function guarded(name: string, operation: Operation, perform: AnyPerform, services: Guard) {
  const { access, params } = operation;
  const { authenticator } = services;
  const callerOf = (key: ApiKey, input: Readonly<Record<string, unknown>>): Caller => ({
    account: key.account,
    origin: { kind: "key", key: key.id },
    at: services.clock(),
    recordedCall: access === "write" ? toRecordedCall(name, params, input) : null,
  });
  return async (input: Readonly<Record<string, unknown>>, notes: CallNotes): Promise<unknown> => {
    try {
      const given = input.APIKey as string | null;
      // Most keys are cached, so most calls do not wait for a lookup.
      const key = authenticator.recall(given, notes) ?? (await authenticator.authenticate(given, notes));
      if (key === null) {
        if (access === "probe") return false;
        throw new Fault("InvalidApiKey", INVALID_KEY);
      }
      if (access === "write" && key.scope !== "full") throw new Fault("NotAllowed", NOT_ALLOWED);
      return await perform(input, callerOf(key, input), services);
    } catch (error) {
      throw asFault(error);
    }
  };
}

export function createHandlers(services: Guard): Handlers<Contract, CallNotes> {
  const entries = Object.entries(contract.operations).map(([name, operation]) => [
    name,
    guarded(name, operation, performers[name as keyof Operations] as AnyPerform, services),
  ]);
  return Object.fromEntries(entries) as Handlers<Contract, CallNotes>;
}

/**
 * A shop's program as it was written for another service: key, list id, field ids, namespace and the short
 * names of the operations are built in, and the description was saved years ago. Only the address of the
 * service is in its settings.
 */
import { createClientAsync } from "soap";

const KEY = "3f2a-OLD-shop-key";
const LIST = 543181;
const TOWN = 37328;
const NEWSLETTER = "9007199254740993";

type Method = (args: object) => Promise<readonly [Readonly<Record<string, unknown>>]>;
const [, , address = ""] = process.argv;
const client = await createClientAsync(`${import.meta.dirname}/old.wsdl`);
client.setEndpoint(address);
const call = async (operation: string, args: object = {}): Promise<unknown> => {
  const method = (client as unknown as Readonly<Record<string, Method>>)[`${operation}Async`];
  const [reply] = (await method?.({ APIKey: KEY, ...args })) ?? [{}];
  return Object.values(reply)[0];
};
const buyer = (EMail: string): object => ({
  SubscribersListID: LIST,
  EMail,
  FirstName: "Ana",
  CustomsFields: {
    customField: [
      { Customfieldid: TOWN, Value: "Rosario" },
      { Customfieldid: NEWSLETTER, Value: "true" },
    ],
  },
  Gender: "F",
  Birthday: "0001-01-01T00:00:00",
  CountryID: 32,
});

process.stdout.write(
  JSON.stringify({
    connected: await call("TestApiConnection"),
    fields: await call("GetFields"),
    newBuyer: await call("AddSubscriberwithBasicandCustoms", buyer("new@example.org")),
    oldBuyer: await call("AddSubscriber", { SubscribersListID: LIST, EMail: "ada@example.org" }),
    optedOut: await call("AddSubscriber", { SubscribersListID: LIST, EMail: "out@example.org" }),
    leaves: await call("Unsubscribe", { EMail: "leaves@example.org" }),
    lists: await call("GetSubscribersLists"),
  }),
);

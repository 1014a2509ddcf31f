/** The node-soap peer over SQLite: one commit before each answer. Usage: server.ts PORT DATABASE WSDL */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type IServices, listen } from "soap";
import { PeerStore } from "./store.ts";

const [port = "", file = "", wsdl = ""] = process.argv.slice(2);
const UNKNOWN_LIST = 101;
const store = new PeerStore(file);

interface Call {
  readonly APIKey?: string;
  readonly SubscribersListID?: number | string;
  readonly CampaignID?: number | string;
  readonly EMail?: string;
}

const senderFault = (faultstring: string): object => ({
  Fault: { faultcode: "soap:Client", faultstring, statusCode: 500 },
});
function accountOf({ APIKey }: Call): number {
  const account = store.accountOf(APIKey ?? "");
  if (account === null) throw senderFault("InvalidKey");
  return account;
}

const operations = {
  "Client.TestApiConnection": ({ APIKey }: Call) => ({
    "Client.TestApiConnectionResult": store.accountOf(APIKey ?? "") !== null,
  }),
  "Subscriber.Add": (call: Call) => {
    const isAdded = store.add(accountOf(call), Number(call.SubscribersListID), call.EMail ?? "");
    return { "Subscriber.AddResult": isAdded ? 0 : UNKNOWN_LIST };
  },
  "Campaign.GetHardBouncesList": (call: Call) => {
    const subscriber = store.bounced(accountOf(call), Number(call.CampaignID));
    if (subscriber === null) throw senderFault("UnknownCampaign");
    return { "Campaign.GetHardBouncesListResult": { subscriber } };
  },
};
const services: IServices = { Mailroll: { MailrollSoap: operations, MailrollSoap12: operations } };

const server = createServer();
listen(server, { path: "/default.asmx", services, xml: readFileSync(wsdl, "utf8") });
server.listen(Number(port), "127.0.0.1");

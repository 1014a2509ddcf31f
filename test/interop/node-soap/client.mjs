// Takes node-soap through the steps on standard input. node client.mjs ENDPOINT 1.1|1.2
import { takeSteps } from "../node-steps.mjs";

const [endpoint, version] = process.argv.slice(2);

// <connect>
import { createClientAsync } from "soap";

const client = await createClientAsync(`${endpoint}?wsdl`, {
  normalizeNames: true, // Subscriber.Add is Subscriber_AddAsync
  forceSoap12Headers: version === "1.2",
  customDeserializer: { long: String }, // ids above 2^53 stay exact
});
// </connect>

// <call>
/** Gives back the byte: 0 is done; any other value is a refusal, and nothing was changed. */
async function addSubscriber(APIKey, SubscribersListID, EMail) {
  const [answer] = await client.Subscriber_AddAsync({ APIKey, SubscribersListID, EMail });
  return Number(answer["Subscriber.AddResult"]);
}
// </call>

// <list>
/** The records of any operation that lists; node-soap gives null where there are none. */
async function records(operation, parameters) {
  const [answer] = await client[`${operation.replace(".", "_")}Async`](parameters);
  return Object.values(answer?.[`${operation}Result`] ?? {}).flat();
}
// </list>

// <fault>
/** What a program can decide by, and what a person should read. */
function explain(error) {
  const fault = error.root?.Envelope.Body.Fault;
  if (fault === undefined) throw error; // no fault, but the network, for example
  const { code } = (fault.detail ?? fault.Detail).error;
  return { code, text: fault.faultstring ?? fault.Reason.Text.$value };
}
// </fault>

await takeSteps(async (operation, parameters) => {
  if (operation === "Subscriber.Add") return addSubscriber(...Object.values(parameters));
  if (/List|GetFields/.test(operation)) return records(operation, parameters);
  const [answer] = await client[`${operation.replace(".", "_")}Async`](parameters);
  return answer?.[`${operation}Result`];
}, explain);

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
/** Adds an address and returns the result as text. */
async function subscribe(APIKey, SubscribersListID, EMail) {
  try {
    const [answer] = await client.Subscriber_AddAsync({ APIKey, SubscribersListID, EMail });
    const byte = Number(answer["Subscriber.AddResult"]);
    return byte === 0 ? "done" : `refused: ${byte}`; // refused: nothing was changed
  } catch (error) {
    const { code, text } = explain(error);
    return `fault ${code}: ${text}`;
  }
}

/** The code is for the program, the text for a person. */
function explain(error) {
  const fault = error.root?.Envelope.Body.Fault;
  if (fault === undefined) throw error; // not a fault: a network error, for example
  const { code } = (fault.detail ?? fault.Detail).error;
  return { code, text: fault.faultstring ?? fault.Reason.Text.$value };
}
// </call>

// <list>
/** The records of a list operation. If there are none, node-soap returns null. */
async function records(operation, parameters) {
  const [answer] = await client[`${operation.replace(".", "_")}Async`](parameters);
  return Object.values(answer?.[`${operation}Result`] ?? {}).flat();
}
// </list>

await takeSteps(async (operation, parameters) => {
  if (operation === "Subscriber.Add") return subscribe(...Object.values(parameters));
  if (/List|GetFields/.test(operation)) return records(operation, parameters);
  const [answer] = await client[`${operation.replace(".", "_")}Async`](parameters);
  return answer?.[`${operation}Result`];
}, explain);

// Takes strong-soap through the steps on standard input. node client.mjs ENDPOINT 1.1|1.2
import { takeSteps } from "../node-steps.mjs";

const [endpoint, version] = process.argv.slice(2);

// <connect>
import { promisify } from "node:util";
import { soap } from "strong-soap";
import { schemaTypes } from "strong-soap/src/parser/helper.js";

schemaTypes.long = String; // ids above 2^53 stay exact
const client = await promisify(soap.createClient)(`${endpoint}?wsdl`, {});
const port = version === "1.2" ? client.Mailroll.MailrollSoap12 : client.Mailroll.MailrollSoap;
// </connect>

// <call>
/** Adds an address and returns the result as text. */
async function subscribe(APIKey, SubscribersListID, EMail) {
  try {
    const { result } = await port["Subscriber.Add"]({ APIKey, SubscribersListID, EMail });
    const byte = result["Subscriber.AddResult"];
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
/** The records of a list operation. If there is only one, strong-soap returns it without an array. */
async function records(operation, parameters) {
  const { result } = await port[operation](parameters);
  return Object.values(result?.[`${operation}Result`] ?? {}).flat();
}
// </list>

await takeSteps(async (operation, parameters) => {
  if (operation === "Subscriber.Add") return subscribe(...Object.values(parameters));
  if (/List|GetFields/.test(operation)) return records(operation, parameters);
  const { result } = await port[operation](parameters);
  return result?.[`${operation}Result`];
}, explain);

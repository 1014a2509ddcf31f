// Adds a subscriber with names, custom fields, gender, birthday and country.
// Change the address, the key, the list and the ids of the custom fields. Then: node client.mjs
import { createClientAsync } from "soap";

const ENDPOINT = "https://mail.example.org/default.asmx";
const API_KEY = "0123456789ABCDEF0123456789ABCDEF";
const LIST_ID = 1;

// With normalizeNames, Subscriber.Add is Subscriber_AddAsync.
const client = await createClientAsync(`${ENDPOINT}?wsdl`, { normalizeNames: true });

try {
  const [answer] = await client.Subscriber_AddwithBasicandCustomsAsync({
    APIKey: API_KEY,
    SubscribersListID: LIST_ID,
    FirstName: "Zoë",
    LastName: "Müller",
    EMail: "zoe@example.org",
    CustomsFields: {
      customField: [
        { Customfieldid: 1, Value: "Zürich" }, // the id from Field.GetFields
        { Customfieldid: 2, Value: "premium" },
      ],
    },
    Gender: "F", // M, F or X
    Birthday: "1985-12-10T00:00:00",
    CountryID: 756, // ISO 3166-1 numeric
  });
  const byte = Number(answer["Subscriber.AddwithBasicandCustomsResult"]);
  console.log(byte === 0 ? "added" : `refused: ${byte}`); // 206: unsubscribed earlier; nothing was changed
} catch (error) {
  const fault = error.root?.Envelope.Body.Fault;
  if (fault === undefined) throw error; // the service was not reached, for example
  // InvalidApiKey: the key is missing, unknown, revoked or expired.
  console.log(`fault ${fault.detail.error.code}: ${fault.faultstring}`);
}

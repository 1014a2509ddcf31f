/**
 * A CRM's program as it was written for the old service by somebody who had no SOAP client: the envelope is a
 * text with holes, the namespace is that of the old service, and nobody reads a WSDL. Only the address of the
 * service is in its settings.
 */
const KEY = "3f2a-OLD-shop-key";
const NAMESPACE = "http://old.example.org";
const [, , address = ""] = process.argv;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

async function call(operation: string, params: Readonly<Record<string, string>> = {}): Promise<string> {
  const elements = Object.entries({ APIKey: KEY, ...params })
    .map(([name, value]) => `      <${name}>${name === "CustomsFields" ? value : escaped(value)}</${name}>`)
    .join("\n");
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "text/xml; charset=utf-8", SOAPAction: `${NAMESPACE}/${operation}` },
    body: `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <${operation} xmlns="${NAMESPACE}">
${elements}
    </${operation}>
  </soap:Body>
</soap:Envelope>
`,
  });
  const text = await answer.text();
  // As such programs do: whatever else is in the answer, the result is between these two tags.
  const [, result] = text.split(`<${operation}Result>`);
  return result?.split(`</${operation}Result>`)[0] ?? text;
}

const customer = {
  SubscribersListID: "543181",
  FirstName: "Zoë",
  LastName: "O'Brien & Söhne",
  CustomsFields:
    "<customField><Customfieldid>37328</Customfieldid><Value>São Paulo</Value></customField><customField><Customfieldid>9007199254740993</Customfieldid><Value>true</Value></customField>",
};
process.stdout.write(
  JSON.stringify({
    connected: await call("Client.TestApiConnection"),
    customer: await call("Subscriber.AddwithBasicandCustoms", {
      ...customer,
      EMail: "customer@example.org",
      Gender: "F",
      Birthday: "1985-12-10",
      CountryID: "76",
    }),
    older: await call("Subscriber.AddwithNameandCustoms", { ...customer, EMail: "older@example.org" }),
    removed: await call("Subscriber.Remove", { SubscribersListID: "543181", EMail: "older@example.org" }),
    optedOut: await call("Subscriber.Add", { SubscribersListID: "543181", EMail: "out@example.org" }),
  }),
);

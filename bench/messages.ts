/** The messages for every server, and how to tell a correct answer. */
export const NAMESPACE = "http://mailroll.example";
export const KEY = "0123456789ABCDEF0123456789ABCDEF";
export const PATH = "/default.asmx";
export const LIST = 1;
/** Where the load generator writes a new address into each message. */
export const ADDRESS = "{address}";

export const CUSTOM_FIELDS = 5;

const call = (operation: string, parameters: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${operation} xmlns="${NAMESPACE}"><APIKey>${KEY}</APIKey>${parameters}</${operation}></soap:Body></soap:Envelope>`;

const customs = Array.from(
  { length: CUSTOM_FIELDS },
  (_, i) => `<customField><Customfieldid>${i + 1}</Customfieldid><Value>Value ${i + 1}</Value></customField>`,
).join("");

export const messages = {
  probe: call("Client.TestApiConnection", ""),
  lists: call("Client.GetSubscribersLists", ""),
  add: (address: string = ADDRESS) =>
    call("Subscriber.Add", `<SubscribersListID>${LIST}</SubscribersListID><EMail>${address}</EMail>`),
  addWithCustoms: (address: string = ADDRESS) =>
    call(
      "Subscriber.AddwithBasicandCustoms",
      `<SubscribersListID>${LIST}</SubscribersListID><FirstName>Ada</FirstName><LastName>Lovelace</LastName><EMail>${address}</EMail><CustomsFields>${customs}</CustomsFields><Gender>F</Gender><Birthday>1985-12-10T00:00:00</Birthday><CountryID>826</CountryID>`,
    ),
  addField: (name: string) =>
    call(
      "Field.Add",
      `<fieldName>${name}</fieldName><isPrivate>false</isPrivate><dataType>STRING</dataType>`,
    ),
  bounces: (campaign: number) => call("Campaign.GetHardBouncesList", `<CampaignID>${campaign}</CampaignID>`),
} as const;

/** The text of an operation's result, whatever prefix the server writes; null where there is none. */
export const resultIn = (answer: string, operation: string): string | null =>
  new RegExp(`<(?:[\\w-]+:)?${operation.replace(".", "\\.")}Result(?: [^>]*)?>([^<]*)<`).exec(answer)?.[1] ??
  null;

/** How many people a list of bounces holds. */
export const peopleIn = (answer: string): number => answer.match(/<(?:[\w-]+:)?EMail[ >]/g)?.length ?? 0;

/**
 * The text of every fault that a case expects, each pinned once, by the code of the fault and a name. `{}`
 * stands for what differs from case to case.
 */
const OPERATIONS =
  "Subscriber.Add, Subscriber.AddwithBasicandCustoms, Subscriber.Remove, Subscriber.Unsubscribe, Field.Add, Field.GetFields, Client.GetSubscribersLists, Client.GetCampaignsList, Client.GetLastSentCampaign, Client.TestApiConnection, Campaign.GetSubscribersLists, Campaign.GetUnsubscribesList, Campaign.GetHardBouncesList, Subscriber.AddwithName, Subscriber.AddwithNameandCustoms.";
const DATA_TYPES =
  "BOOLEAN, REAL, STRING, DATE, EMAIL, GENDER, COUNTRY, CONSENT, ORIGIN, SCORE, PHONE, PERMISSION, GDPR.";
const NAMESPACE =
  '{} is in the namespace "{}". It must be in "{}". If the program cannot be changed, the operator of this service can accept';
const NOT_XML = "The request is not well-formed XML: line {}, column {}:";

/** A name is empty where the code has one text. */
export const faultTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ActionMismatch: {
    "another operation":
      "The action names {}, but the Body holds {}. Make them agree, or leave the action out.",
    "unknown action": 'There is no action "{}". Use "{}", or leave SOAPAction empty.',
  },
  InvalidApiKey: {
    "": "The API key is missing, unknown, revoked or expired. The operator of this service makes one with: mailroll key create",
  },
  InvalidMessage: {
    DTD: "A document type declaration (DTD) is not accepted; leave it out.",
    "nested too deep": "Elements are nested more than 64 deep.",
    "two operations": "The Body holds more than one operation. Send one operation per message.",
    "two Bodies": "The Envelope has two Body elements.",
    "no Body": "The Envelope has no Body.",
    "undecodable charset":
      'The charset "{}" cannot be decoded. Send the message in UTF-8, and declare it as utf-8.',
    "not gzip": "The body is not valid gzip.",
    "no Envelope": "The document's root is {}. It must be a SOAP Envelope.",
    "undeclared prefix": `${NOT_XML} the prefix {} is not declared.`,
    "no root": `${NOT_XML} there is no root element.`,
    "text before the root": `${NOT_XML} there is text before the root element.`,
    "wrong end tag": `${NOT_XML} {} must come here.`,
    "undefined entity": `${NOT_XML} {} is not defined: without a document type there are &lt; &gt; &amp; &apos; &quot; only.`,
    "not a character": `${NOT_XML} {} is not a character that XML can carry.`,
    "breaks off": `${NOT_XML} the document breaks off.`,
    "second root": `${NOT_XML} there is a second root element.`,
    "not closed": `${NOT_XML} {} is not closed.`,
  },
  InvalidParameter: {
    dateTime:
      '{} (line {}): "{}" is not a dateTime: yyyy-mm-dd or yyyy-mm-ddThh:mm:ss, with Z or an offset if you like.',
    long: '{} (line {}): "{}" is not a long, a whole number of at most 64 bits.',
    int: '{} (line {}): "{}" is not an int, a whole number from -2147483648 to 2147483647.',
    boolean: '{} (line {}): "{}" is not a boolean: true, false, 1 or 0.',
    dataType: `{} (line {}): "{}" is not one of ${DATA_TYPES}`,
    "outside its list": "{} (line {}) must be inside {}.",
    reference:
      '{} (line {}) refers to "{}". References are not followed: write what it refers to into the element itself.',
    "no dataType": `dataType is required: give one of ${DATA_TYPES}`,
  },
  MustUnderstand: {
    "": 'The header {} in the namespace "{}" must be understood, and is not. Leave it out or drop its mustUnderstand.',
  },
  NotAllowed: {
    "": "This API key may only read. Use one with the scope full for operations that change something.",
  },
  Throttled: {
    "failed keys":
      "Too many calls with invalid API keys came from your address. Check the API key, and try again later.",
  },
  TooLarge: { "": "The request is larger than {} bytes, the limit of this service." },
  UnknownCampaign: {
    "": "This account has no campaign {}. Client.GetCampaignsList gives the ids there are.",
  },
  UnknownNamespace: {
    none: '{} is in no namespace. It must be in "{}".',
    "can be listed": `${NAMESPACE} its namespace: MAILROLL_NAMESPACES={} (several are separated by commas).`,
    "can be listed by hand": `${NAMESPACE} its namespace by adding it, whole and as the program writes it, to the setting MAILROLL_NAMESPACES.`,
    "cannot be listed": `${NAMESPACE} any namespace: MAILROLL_NAMESPACES=* (this one cannot be listed).`,
  },
  UnknownOperation: {
    "empty Body": `The Body is empty. It must hold one of these: ${OPERATIONS}`,
    "": `There is no operation {}. There are: ${OPERATIONS}`,
  },
  UnknownPath: {
    "": "There is no SOAP service at the path {}. Post to {}. If the program cannot be changed, the operator of this service can add its path to the setting MAILROLL_PATHS.",
  },
  UnsupportedMediaType: {
    "1.1 as 1.2":
      "A SOAP 1.1 Envelope was sent as application/soap+xml. Send it as text/xml, or use a SOAP 1.2 Envelope.",
    none: "The Content-Type must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2); none was given.",
    "": 'The Content-Type must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2); "{}" was given.',
  },
  VersionMismatch: {
    "": 'The Envelope is in the namespace "{}". Use http://schemas.xmlsoap.org/soap/envelope/ (SOAP 1.1) or http://www.w3.org/2003/05/soap-envelope (SOAP 1.2).',
  },
};

/** The records and the enumeration of the contract, with the names that they have on the wire. */
import * as x from "./xsd.ts";

export const DataType = x.enumeration(
  "DataType",
  "BOOLEAN",
  "REAL",
  "STRING",
  "DATE",
  "EMAIL",
  "GENDER",
  "COUNTRY",
  "CONSENT",
  "ORIGIN",
  "SCORE",
  "PHONE",
  "PERMISSION",
  "GDPR",
);

export const CustomField = x.sequence("customField", { Customfieldid: x.long, Value: x.string });
export const Field = x.sequence("field", {
  FieldId: x.long,
  Name: x.string,
  IsPrivate: x.boolean,
  DataType,
});
export const SubscribersList = x.sequence("subscriberslist", {
  SubscribersListID: x.int,
  Name: x.string,
  CreationDate: x.dateTime,
  SubscribersQuantity: x.int,
});
export const Campaign = x.sequence("campaign", {
  CampaignID: x.int,
  Name: x.string,
  CreationDate: x.dateTime,
  SentDate: x.optionalDateTime,
});
export const Subscriber = x.sequence("subscriber", {
  FirstName: x.string,
  LastName: x.string,
  EMail: x.string,
  SubscribedDate: x.dateTime,
  UnsubscribedDate: x.dateTime,
});

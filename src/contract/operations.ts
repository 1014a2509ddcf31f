/**
 * The contract: the thirteen operations, and two predecessors that old programs still call. Everything else
 * (handler types, decoders, encoders, WSDL, help pages, reference) follows from this file; its names are
 * written nowhere else.
 */
import { outcomesOf } from "./outcomes.ts";
import { Campaign, CustomField, DataType, Field, Subscriber, SubscribersList } from "./records.ts";
import { confirmed, guessed, operation, service } from "./service.ts";
import * as x from "./xsd.ts";

const APIKey = "0123456789ABCDEF0123456789ABCDEF";
const joined = Date.UTC(2026, 0, 12, 9, 30);
const newsletter = {
  SubscribersListID: 1,
  Name: "Newsletter",
  CreationDate: joined,
  SubscribersQuantity: 1250,
};
const spring = {
  CampaignID: 1,
  Name: "Spring offers",
  CreationDate: Date.UTC(2026, 2, 2, 8),
  SentDate: Date.UTC(2026, 2, 3, 7, 15),
};
const gone = {
  FirstName: "Ada",
  LastName: "Lovelace",
  EMail: "ada@example.org",
  SubscribedDate: joined,
  UnsubscribedDate: Date.UTC(2026, 2, 3, 10, 4, 5),
};
const key = { APIKey: "The account's API key; case does not matter." } as const;
const addNotes = {
  ...key,
  SubscribersListID: "The id of the list, from Client.GetSubscribersLists.",
  EMail: "The e-mail address; surrounding white space is ignored.",
} as const;
const customsNote = "Values by field id (from Field.GetFields). If an id occurs twice, the last one counts.";
const addOutcomes = ["Blocked", "Unsubscribed", "Bounced", "LimitReached"] as const;
const addWithNameOutcomes = outcomesOf("InvalidEmail", "UnknownList", "InvalidValue", ...addOutcomes);
const addWithDataOutcomes = outcomesOf(
  "InvalidEmail",
  "UnknownList",
  "UnknownField",
  "InvalidValue",
  ...addOutcomes,
);
const campaignNotes = {
  ...key,
  CampaignID: "The id of the campaign, from Client.GetCampaignsList.",
} as const;

export const contract = service({
  name: "Mailroll",
  doc: "Subscriber lists, custom fields and campaign results of one account, over SOAP 1.1 and 1.2.",
  path: "/default.asmx",
  families: {
    Subscriber: "Subscribers: add to a list, remove from a list, unsubscribe.",
    Field: "Custom fields: additional attributes of subscribers.",
    Client: "The account: its lists and campaigns, and a check of the API key.",
    Campaign: "One campaign: its lists, unsubscribes and hard bounces.",
  },
  operations: {
    "Subscriber.Add": operation({
      doc: "Adds an address to a list. If it is already on the list, nothing changes.",
      access: "write",
      shortNames: [confirmed("AddSubscriber")],
      params: { APIKey: x.string, SubscribersListID: x.int, EMail: x.string },
      notes: addNotes,
      result: x.unsignedByte,
      outcomes: outcomesOf("InvalidEmail", "UnknownList", ...addOutcomes),
      example: { input: { APIKey, SubscribersListID: "1", EMail: "ada@example.org" }, output: 0 },
    }),
    "Subscriber.AddwithBasicandCustoms": operation({
      doc: "Adds an address to a list, with names, gender, birthday, country and custom values. A missing or empty value never erases a stored one.",
      access: "write",
      shortNames: [guessed("AddSubscriberwithBasicandCustoms")],
      params: {
        APIKey: x.string,
        SubscribersListID: x.int,
        FirstName: x.string,
        LastName: x.string,
        EMail: x.string,
        CustomsFields: x.arrayOf(CustomField),
        Gender: x.string,
        Birthday: x.optionalDateTime,
        CountryID: x.int,
      },
      notes: {
        ...addNotes,
        CustomsFields: customsNote,
        Gender: "M, F or X; male and female are accepted too.",
        Birthday:
          "The date as written; time and time zone are ignored. 0001-01-01, 1899-12-30 and 9999-12-31 mean none.",
        CountryID: "The numeric ISO 3166-1 code, such as 32 for Argentina; 0 means none.",
      },
      optional: ["FirstName", "LastName", "CustomsFields", "Gender", "Birthday", "CountryID"],
      result: x.unsignedByte,
      outcomes: addWithDataOutcomes,
      example: {
        input: {
          APIKey,
          SubscribersListID: "1",
          FirstName: "Ada",
          LastName: "Lovelace",
          EMail: "ada@example.org",
          CustomsFields: [{ Customfieldid: "1", Value: "London" }],
          Gender: "F",
          Birthday: "1985-12-10T00:00:00",
          CountryID: "826",
        },
        output: 0,
      },
    }),
    "Subscriber.Remove": operation({
      doc: "Removes an address from one list. The subscriber stays in the account and can be added again.",
      access: "write",
      shortNames: [guessed("RemoveSubscriber")],
      params: { APIKey: x.string, SubscribersListID: x.int, EMail: x.string },
      notes: addNotes,
      result: x.unsignedByte,
      outcomes: outcomesOf("InvalidEmail", "UnknownList", "NotOnList"),
      example: { input: { APIKey, SubscribersListID: "1", EMail: "ada@example.org" }, output: 0 },
    }),
    "Subscriber.Unsubscribe": operation({
      doc: "Unsubscribes an address from the whole account, until an operator reactivates it. An unknown address is stored as unsubscribed.",
      access: "write",
      shortNames: [guessed("Unsubscribe")],
      params: { APIKey: x.string, EMail: x.string },
      notes: { ...key, EMail: addNotes.EMail },
      result: x.unsignedByte,
      outcomes: outcomesOf("InvalidEmail"),
      example: { input: { APIKey, EMail: "ada@example.org" }, output: 0 },
    }),
    "Field.Add": operation({
      doc: "Defines a custom field.",
      access: "write",
      shortNames: [guessed("AddField")],
      params: { APIKey: x.string, fieldName: x.string, isPrivate: x.boolean, dataType: DataType },
      notes: {
        ...key,
        fieldName: "At most 100 characters; unique in the account, ignoring case.",
        isPrivate: "Whether the field is private: not meant to be shown to subscribers.",
        dataType: "The type of the field's values.",
      },
      optional: ["isPrivate"],
      result: x.unsignedByte,
      outcomes: outcomesOf("InvalidFieldName", "FieldExists", "LimitReached"),
      example: { input: { APIKey, fieldName: "City", isPrivate: "false", dataType: "STRING" }, output: 0 },
    }),
    "Field.GetFields": operation({
      doc: "Lists the account's custom fields in order of creation, including private ones.",
      access: "read",
      shortNames: [guessed("GetFields")],
      params: { APIKey: x.string },
      notes: key,
      result: x.arrayOf(Field),
      example: {
        input: { APIKey },
        output: [{ FieldId: 1n, Name: "City", IsPrivate: false, DataType: "STRING" }],
      },
    }),
    "Client.GetSubscribersLists": operation({
      doc: "Lists the account's subscriber lists in order of their ids, each with its number of active members.",
      access: "read",
      shortNames: [confirmed("GetSubscribersLists")],
      params: { APIKey: x.string },
      notes: key,
      result: x.arrayOf(SubscribersList),
      example: { input: { APIKey }, output: [newsletter] },
    }),
    "Client.GetCampaignsList": operation({
      doc: "Lists the account's campaigns, newest first.",
      access: "read",
      shortNames: [confirmed("GetCampaignsList")],
      params: { APIKey: x.string },
      notes: key,
      result: x.arrayOf(Campaign),
      example: { input: { APIKey }, output: [spring] },
    }),
    "Client.GetLastSentCampaign": operation({
      doc: "Returns the campaign that was sent last, or a nil result if none has been sent.",
      access: "read",
      shortNames: [confirmed("GetLastSentCampaign")],
      params: { APIKey: x.string },
      notes: key,
      result: Campaign,
      nillable: true,
      example: { input: { APIKey }, output: spring },
    }),
    "Client.TestApiConnection": operation({
      doc: "Checks an API key: returns true if it is valid, otherwise false. An invalid key is not a fault here.",
      access: "probe",
      shortNames: [confirmed("TestApiConnection")],
      params: { APIKey: x.string },
      notes: key,
      result: x.boolean,
      example: { input: { APIKey }, output: true },
    }),
    "Campaign.GetSubscribersLists": operation({
      doc: "Lists the subscriber lists that a campaign was sent to, with the names that they had then and their current number of active members.",
      access: "read",
      shortNames: [confirmed("GetSubscribersListsByCampaign")],
      params: { APIKey: x.string, CampaignID: x.int },
      notes: campaignNotes,
      result: x.arrayOf(SubscribersList),
      example: { input: { APIKey, CampaignID: "1" }, output: [newsletter] },
    }),
    "Campaign.GetUnsubscribesList": operation({
      doc: "Lists the subscribers who unsubscribed because of a campaign, oldest first.",
      access: "read",
      shortNames: [confirmed("GetUnsubscribesList")],
      params: { APIKey: x.string, CampaignID: x.int },
      notes: campaignNotes,
      result: x.arrayOf(Subscriber),
      example: { input: { APIKey, CampaignID: "1" }, output: [gone] },
    }),
    "Campaign.GetHardBouncesList": operation({
      doc: "Lists the subscribers whose address bounced hard in a campaign, oldest first. UnsubscribedDate is the time of the bounce.",
      access: "read",
      shortNames: [confirmed("GetHardBouncesList")],
      params: { APIKey: x.string, CampaignID: x.int },
      notes: campaignNotes,
      result: x.arrayOf(Subscriber),
      example: { input: { APIKey, CampaignID: "1" }, output: [gone] },
    }),

    "Subscriber.AddwithName": operation({
      doc: "Adds an address to a list, with the subscriber's name. A missing or empty name never erases a stored one.",
      access: "write",
      supersededBy: "Subscriber.AddwithBasicandCustoms",
      shortNames: [confirmed("AddSubscriberwithName")],
      params: {
        APIKey: x.string,
        SubscribersListID: x.int,
        FirstName: x.string,
        LastName: x.string,
        EMail: x.string,
      },
      notes: addNotes,
      optional: ["FirstName", "LastName"],
      result: x.unsignedByte,
      outcomes: addWithNameOutcomes,
      example: {
        input: {
          APIKey,
          SubscribersListID: "1",
          FirstName: "Grace",
          LastName: "Hopper",
          EMail: "grace@example.org",
        },
        output: 0,
      },
    }),
    "Subscriber.AddwithNameandCustoms": operation({
      doc: "Adds an address to a list, with the subscriber's name and custom values. A missing or empty value never erases a stored one.",
      access: "write",
      supersededBy: "Subscriber.AddwithBasicandCustoms",
      shortNames: [confirmed("AddSubscriberwithNameandCustoms")],
      params: {
        APIKey: x.string,
        SubscribersListID: x.int,
        FirstName: x.string,
        LastName: x.string,
        EMail: x.string,
        CustomsFields: x.arrayOf(CustomField),
      },
      notes: { ...addNotes, CustomsFields: customsNote },
      optional: ["FirstName", "LastName", "CustomsFields"],
      result: x.unsignedByte,
      outcomes: addWithDataOutcomes,
      example: {
        input: {
          APIKey,
          SubscribersListID: "1",
          FirstName: "Grace",
          LastName: "Hopper",
          EMail: "grace@example.org",
          CustomsFields: [{ Customfieldid: "1", Value: "Arlington" }],
        },
        output: 0,
      },
    }),
  },
});
export type Contract = typeof contract;
export type Operations = Contract["operations"];

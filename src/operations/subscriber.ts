/** Subscriber.*: wire names in, commands out. */
import { parseAddress } from "#domain/address.ts";
import { isSetDate } from "#domain/calendar.ts";
import { lastOfEach } from "#domain/subscriber/person-data.ts";
import type { Perform } from "./caller.ts";

export const add: Perform<"Subscriber.Add"> = (input, caller, { store }) =>
  store.subscribers.add({
    ...caller,
    list: input.SubscribersListID ?? 0,
    address: parseAddress(input.EMail),
  });

export const addWithData: Perform<"Subscriber.AddwithBasicandCustoms"> = (input, caller, { store }) =>
  store.subscribers.addWithData({
    ...caller,
    list: input.SubscribersListID ?? 0,
    address: parseAddress(input.EMail),
    data: {
      firstName: input.FirstName,
      lastName: input.LastName,
      gender: input.Gender,
      birthday: input.Birthday !== null && isSetDate(input.Birthday.date) ? input.Birthday.date : null,
      countryNumber: input.CountryID === 0 ? null : input.CountryID,
      // .NET sends 0 for an id that is not set.
      values: lastOfEach(
        (input.CustomsFields ?? []).map(({ Customfieldid, Value }) => ({
          field: Customfieldid === 0n ? null : Customfieldid,
          value: Value,
        })),
      ),
    },
  });

/** What a predecessor does not take counts as not given, so that stored values stay as they are. */
export const addWithNameAndCustoms: Perform<"Subscriber.AddwithNameandCustoms"> = (input, caller, services) =>
  addWithData({ ...input, Gender: null, Birthday: null, CountryID: null }, caller, services);

export const addWithName: Perform<"Subscriber.AddwithName"> = async (input, caller, services) => {
  const outcome = await addWithNameAndCustoms({ ...input, CustomsFields: null }, caller, services);
  if (outcome === "UnknownField") throw new Error("A call without custom values has no unknown field.");
  return outcome;
};

export const remove: Perform<"Subscriber.Remove"> = (input, caller, { store }) =>
  store.subscribers.remove({
    ...caller,
    list: input.SubscribersListID ?? 0,
    address: parseAddress(input.EMail),
  });

export const unsubscribe: Perform<"Subscriber.Unsubscribe"> = (input, caller, { store }) =>
  store.subscribers.unsubscribe({ ...caller, address: parseAddress(input.EMail) });

/** Nothing said about a person, which is how most calls come. */
import type { GivenData } from "#domain/subscriber/person-data.ts";

export const noData: GivenData = {
  firstName: null,
  lastName: null,
  gender: null,
  birthday: null,
  countryNumber: null,
  values: [],
};

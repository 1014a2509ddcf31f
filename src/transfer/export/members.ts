/** Writes the members of a list as rows that an import restores unchanged. */
import { writeDateTime } from "#contract/xsd.ts";
import type { Field } from "#domain/field/field.ts";
import type { Member } from "#domain/ports/lists.ts";
import type { MembershipStatus } from "#domain/subscriber/subscriber.ts";
import { listedSuppressions, type State, stateOf } from "#domain/subscriber/subscriber.ts";
import { type Column, headingOf, standardHeading } from "../table/columns.ts";

const time = (epochMs: number | null): string => (epochMs === null ? "" : writeDateTime(epochMs));
/** What an export selects by: the state of the subscriber or, of an active one, the status on this list. */
export type MemberState = State | MembershipStatus;
export const stateOfMember = ({ suppressions, status }: Member): MemberState => {
  const state = stateOf(suppressions);
  return state === "active" ? status : state;
};

type Cell = readonly [Column, (member: Member) => string];
const before: readonly Cell[] = [
  [{ kind: "email" }, ({ address }) => address],
  [{ kind: "basic", name: "firstName" }, ({ data }) => data.firstName],
  [{ kind: "basic", name: "lastName" }, ({ data }) => data.lastName],
  [{ kind: "basic", name: "gender" }, ({ data }) => data.gender ?? ""],
  [{ kind: "basic", name: "birthday" }, ({ data }) => data.birthday ?? ""],
  [{ kind: "basic", name: "country" }, ({ data }) => data.country ?? ""],
];
const after: readonly Cell[] = [
  [{ kind: "joined" }, ({ joinedAt }) => time(joinedAt)],
  [{ kind: "state" }, stateOfMember],
  ...listedSuppressions.map(
    (suppression): Cell => [
      { kind: "suppression", suppression },
      ({ suppressions }) => time(suppressions[suppression]),
    ],
  ),
];

export const memberHeader = (fields: readonly Field[]): readonly string[] => [
  ...before.map(([column]) => standardHeading(column)),
  ...fields.map((field) => headingOf(field, fields)),
  ...after.map(([column]) => standardHeading(column)),
];

export function memberRow(member: Member, fields: readonly Field[]): readonly string[] {
  const values = new Map(member.values.map(({ field, value }) => [field, value]));
  return [
    ...before.map(([, cell]) => cell(member)),
    ...fields.map(({ id }) => values.get(id) ?? ""),
    ...after.map(([, cell]) => cell(member)),
  ];
}

/**
 * Operations by family, the part of a name before its dot, in the order in which the service declares its
 * families; superseded ones are the last section.
 */
import type { Operation, Service } from "#contract/service.ts";

export interface Family {
  readonly name: string;
  readonly doc: string;
  readonly operations: readonly (readonly [name: string, operation: Operation])[];
}

/** The section's heading and sentence, here and in the reference. */
export const PREDECESSORS = {
  name: "Predecessors",
  doc: "Older operations, for programs that were written for another service and still call them. In new programs use the operation that superseded them.",
} as const;

export function families(service: Service): readonly Family[] {
  const found = new Map<string, (readonly [string, Operation])[]>(
    Object.keys(service.families).map((name) => [name, []]),
  );
  const all = Object.entries(service.operations);
  for (const entry of all.filter(([, { supersededBy }]) => supersededBy === null)) {
    const prefix = familyOf(entry[0]);
    const members = found.get(prefix);
    if (members === undefined) found.set(prefix, [entry]);
    else members.push(entry);
  }
  const predecessors = all.filter(([, { supersededBy }]) => supersededBy !== null);
  return [
    ...[...found].map(([name, operations]) => ({ name, doc: service.families[name] ?? "", operations })),
    { ...PREDECESSORS, operations: predecessors },
  ].filter(({ operations }) => operations.length > 0);
}

export const familyOf = (operation: string): string => operation.split(".", 1)[0] ?? operation;

/** Operations by family, the part of a name before its dot, in the order in which the service declares its families. */
import type { Operation, Service } from "../../contract/service.ts";

export interface Family {
  readonly name: string;
  readonly doc: string;
  readonly operations: readonly (readonly [name: string, operation: Operation])[];
}

export function families(service: Service): readonly Family[] {
  const found = new Map<string, (readonly [string, Operation])[]>(
    Object.keys(service.families).map((name) => [name, []]),
  );
  for (const entry of Object.entries(service.operations)) {
    const prefix = familyOf(entry[0]);
    const members = found.get(prefix);
    if (members === undefined) found.set(prefix, [entry]);
    else members.push(entry);
  }
  return [...found]
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => ({ name, doc: service.families[name] ?? "", operations }));
}

export const familyOf = (operation: string): string => operation.split(".", 1)[0] ?? operation;

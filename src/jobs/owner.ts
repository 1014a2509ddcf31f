/** The name under which this process holds leases. Operators read it; no two processes have the same one. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

export const leaseOwner = (): string => `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;

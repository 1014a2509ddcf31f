/** The name under which this process holds leases: unique, and readable for operators in the table `job`. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

export const leaseOwner = (): string => `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;

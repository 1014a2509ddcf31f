/** What is measured, in which unit, and whether more of it is better. */
import type { Group } from "./options.ts";

export interface Figure {
  readonly title: string;
  /** For a line among many. */
  readonly short: string;
  readonly group: Group;
  readonly unit: "per second" | "seconds" | "ms";
}

const figure = (declared: Figure): Figure => declared;

export const figures = {
  probe: figure({
    title: "Client.TestApiConnection, 64 connections",
    short: "TestApiConnection",
    group: "probe",
    unit: "per second",
  }),
  wsdl: figure({ title: "GET ?wsdl, 64 connections", short: "WSDL", group: "wsdl", unit: "per second" }),
  add: figure({
    title: "Subscriber.Add, durable, 64 connections",
    short: "Add",
    group: "add",
    unit: "per second",
  }),
  customs: figure({
    title: "Subscriber.AddwithBasicandCustoms with 5 custom fields, durable, 64 connections",
    short: "AddwithBasicandCustoms",
    group: "customs",
    unit: "per second",
  }),
  slowAdd: figure({
    title: "Subscriber.Add, durable, 64 connections, each flush 2 ms slower",
    short: "Add, slow flush",
    group: "slow",
    unit: "per second",
  }),
  middleList: figure({
    title: "Campaign.GetHardBouncesList, 10,000 rows, one connection",
    short: "list of 10,000",
    group: "list",
    unit: "per second",
  }),
  longList: figure({
    title: "Campaign.GetHardBouncesList, 1,000,000 rows, one connection",
    short: "list of 1,000,000",
    group: "list",
    unit: "seconds",
  }),
  idleLatency: figure({
    title: "Client.TestApiConnection, 99th percentile, on an idle server",
    short: "99th percentile, idle",
    group: "latency",
    unit: "ms",
  }),
  streamingLatency: figure({
    title: "Client.TestApiConnection, 99th percentile, while lists of 1,000,000 rows stream",
    short: "99th percentile, streaming",
    group: "latency",
    unit: "ms",
  }),
  addingLatency: figure({
    title: "Client.TestApiConnection, 99th percentile, while 64 connections add",
    short: "99th percentile, adding",
    group: "latency",
    unit: "ms",
  }),
  growthLists: figure({
    title: "Client.GetSubscribersLists by the size of the list, 64 connections",
    short: "GetSubscribersLists",
    group: "growth",
    unit: "per second",
  }),
  growthAdd: figure({
    title: "Subscriber.Add by the size of the list, durable, 64 connections",
    short: "Add",
    group: "growth",
    unit: "per second",
  }),
} as const;
export type FigureId = keyof typeof figures;

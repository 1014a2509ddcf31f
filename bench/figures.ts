/** What is measured, in which unit, and whether more of it is better. */
import type { Group } from "./options.ts";

export interface Figure {
  readonly title: string;
  readonly group: Group;
  readonly unit: "per second" | "seconds" | "ms";
}

const figure = (declared: Figure): Figure => declared;

export const figures = {
  probe: figure({ title: "Client.TestApiConnection, 64 connections", group: "probe", unit: "per second" }),
  wsdl: figure({ title: "GET ?wsdl, 64 connections", group: "wsdl", unit: "per second" }),
  add: figure({ title: "Subscriber.Add, durable, 64 connections", group: "add", unit: "per second" }),
  customs: figure({
    title: "Subscriber.AddwithBasicandCustoms with 5 custom fields, durable, 64 connections",
    group: "customs",
    unit: "per second",
  }),
  slowAdd: figure({
    title: "Subscriber.Add, durable, 64 connections, each flush 2 ms slower",
    group: "slow",
    unit: "per second",
  }),
  middleList: figure({
    title: "Campaign.GetHardBouncesList, 10,000 rows, one connection",
    group: "list",
    unit: "per second",
  }),
  longList: figure({
    title: "Campaign.GetHardBouncesList, 1,000,000 rows, one connection",
    group: "list",
    unit: "seconds",
  }),
  idleLatency: figure({
    title: "Client.TestApiConnection, 99th percentile, nothing else to do",
    group: "latency",
    unit: "ms",
  }),
  streamingLatency: figure({
    title: "Client.TestApiConnection, 99th percentile, while lists of 1,000,000 rows stream",
    group: "latency",
    unit: "ms",
  }),
  addingLatency: figure({
    title: "Client.TestApiConnection, 99th percentile, while 64 connections add",
    group: "latency",
    unit: "ms",
  }),
  growthLists: figure({
    title: "Client.GetSubscribersLists by the size of the list, 64 connections",
    group: "growth",
    unit: "per second",
  }),
  growthAdd: figure({
    title: "Subscriber.Add by the size of the list, durable, 64 connections",
    group: "growth",
    unit: "per second",
  }),
} as const;
export type FigureId = keyof typeof figures;

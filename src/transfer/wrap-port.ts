/** Wraps the methods of a port, for instance to retry them. Listings stay as they are. */

/** Makes a call, or several, or none. */
export type Around<Port> = (method: keyof Port, call: () => Promise<unknown>) => Promise<unknown>;

export function wrapPort<Port extends object>(port: Port, around: Around<Port>): Port {
  const methods = Object.entries(port).map(([name, method]: [string, unknown]) => [
    name,
    typeof method === "function"
      ? (...args: unknown[]) => around(name as keyof Port, () => method(...args) as Promise<unknown>)
      : method,
  ]);
  return Object.fromEntries(methods) as Port;
}

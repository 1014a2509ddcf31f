/** Time zones by the names of the IANA database, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  // Node also takes offsets, which do not know summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** To choose from. */
export const timeZones = (): readonly string[] => ["UTC", ...Intl.supportedValuesOf("timeZone")];

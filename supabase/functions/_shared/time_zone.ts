/**
 * Names as the tables' rule has them (private.is_time_zone): those of IANA, but no abbreviation (EST, CET): Postgres reads
 * them without summer time.
 */
const NAME = new RegExp(
  "^(CST6CDT|Cuba|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT[+-]?0|Greenwich|Hongkong|Iceland|Iran|Israel|Jamaica|Japan|" +
    "Kwajalein|Libya|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|Singapore|Turkey|UTC|Universal|" +
    "W-SU|Etc/GMT([+-]?[0-9]|[+]1[0-2]|-1[0-4])|(US|[A-Z][a-z]+)(/(ACT|LHI|NSW|GMT|UCT|UTC|[A-Z][a-z][A-Za-z_-]*)){1,2})$",
);

export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

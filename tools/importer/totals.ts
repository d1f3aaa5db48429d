// deno task totals <file>: prices every published total of a data set with the service's rules. See --help.
import { parseArgs } from "node:util";
import process from "node:process";
import postgres, { type TransactionSql } from "postgres";
import { isLostConnection } from "../../local/postgres/driver_faults.ts";
import { ImportFailure } from "../../supabase/functions/_shared/import/failure.ts";
import type { Mapping } from "../../supabase/functions/_shared/import/definition.ts";
import { type Lot, lotFieldsOf, mapRecord } from "../../supabase/functions/_shared/import/lot.ts";
import { connect, databaseUrl } from "./database.ts";
import type { SourceRecord } from "../../supabase/functions/_shared/import/record.ts";
import { mergeBatch } from "./loading/merge.ts";
import { Batch } from "./loading/stage.ts";
import { namedMapping, recognisedMapping } from "./mapping/choose.ts";
import { openSource } from "./reading/open.ts";
import { isUnreadable, type Read } from "../../supabase/functions/_shared/import/reading/record.ts";
import { readingOf, withReading } from "./readers.ts";
import type { Total } from "./tariffs/totals.ts";

const EXIT = { equal: 0, failed: 1, misused: 2, different: 3 } as const;

const HELP = `deno task totals <file> [options]

Prices every published total of a data set with the service's rules, and prints which are equal, different, refused
(the rules give no price, or the list has none) or an error of the publisher. Nothing is written.

  --mapping <name|file>   found by the file's columns when absent
  --db-url <url>          default: DB_URL
  --local-default         without --db-url and DB_URL, ask the running local platform (deno task totals sets it)
  --entry <time>          local time of entry, where the list names none (default: 2026-09-16T10:00, a Wednesday)
  --json                  one object a total

Exit code: 0 nothing is different; 3 some totals are different; 1 failed; 2 the command is wrong.`;

export interface TotalsOptions {
  readonly file: string;
  readonly mapping?: string;
  readonly entry?: string;
}

export interface TotalResult {
  readonly outcome: "equal" | "different" | "refused" | "publisher";
  readonly position: number;
  readonly external_id: string;
  readonly name: string;
  readonly minutes: number;
  readonly published: number;
  readonly priced: number | null;
  readonly reason: string | null;
}

export interface TotalsReport {
  readonly mapping: string;
  readonly lots: number;
  readonly counts: Readonly<Record<TotalResult["outcome"], number>>;
  readonly results: readonly TotalResult[];
}

interface Asked {
  readonly position: number;
  readonly total: Total;
  readonly lot: Lot | null;
  readonly external_id: string;
  readonly name: string;
  /** Why there is no price before the service is asked. */
  readonly refused: string | null;
}

/** An error of a publisher that a person has looked at. */
interface Reviewed {
  readonly mapping: string;
  readonly external_id: string;
  readonly minutes: number;
  readonly published: number;
  readonly reason: string;
}

async function reviewedErrors(): Promise<readonly Reviewed[]> {
  return JSON.parse(await Deno.readTextFile(new URL("publisher_errors.json", import.meta.url)));
}

/** Why a total cannot be right: a longer stay from the same entry costs less, or a person found it wrong. */
export function publisherError(total: Total, totals: readonly Total[]): string | null {
  const shorter = totals.filter(({ minutes, entry }) => entry === total.entry && minutes < total.minutes);
  const dearer = shorter.findLast(({ amount_minor }) => amount_minor > total.amount_minor);
  return dearer === undefined ? null : `less than ${dearer.amount_minor} for ${dearer.minutes} minutes`;
}

function askedOf(read: Read, mapping: Mapping): Asked[] {
  if (isUnreadable(read)) return [];
  const { totals, problems } = readingOf(read, mapping);
  if (totals.length === 0) return [];
  const mapped = withReading(read, mapping, mapRecord);
  if ("skipped" in mapped) return [];
  const lot = "lot" in mapped ? mapped.lot : null;
  const reasons = "problems" in mapped ? mapped.problems : [...mapped.lot.warnings, ...problems];
  const reason = reasons.find(({ field }) => lot === null || field === "pricing");
  const refused = lot?.pricing ? null : reason === undefined ? "no prices" : `${reason.field}: ${reason.reason}`;
  const external_id = lot?.externalId ?? ("externalId" in mapped ? mapped.externalId ?? "" : "");
  const name = String(lot?.fields.get("name") ?? "");
  return totals.map((total) => ({ position: read.position, total, lot, external_id, name, refused }));
}

/** Stores the lots under a source of their own, and asks for the fee of each total in one statement. */
async function prices(
  sql: TransactionSql,
  mapping: Mapping,
  asked: readonly Asked[],
  entry: string,
): Promise<(number | string)[]> {
  const source = `totals ${crypto.randomUUID()}`;
  const written = { fields: lotFieldsOf(mapping), withOperator: mapping.operator !== undefined };
  const lots = [...new Set(asked.map(({ lot }) => lot!))];
  let batch = new Batch(written, { source, licence: null, attribution: null, source_url: null });
  for (const [place, lot] of lots.entries()) {
    batch.add(place, { ...lot, tags: {}, windows: null });
    if (!batch.isFull && place < lots.length - 1) continue;
    await mergeBatch(sql, batch, "active");
    await sql`drop table if exists pg_temp.import_stage, pg_temp.import_outcome, pg_temp.import_rules, pg_temp.import_kept`;
    batch = new Batch(written, batch.provenance);
  }
  const questions = asked.map(({ lot, total }) => ({
    external_id: lot!.externalId,
    entry: total.entry === undefined ? entry : `${entry.slice(0, 10)}T${total.entry}`,
    minutes: total.minutes,
  }));
  const rows = await sql<{ amount: string | null; reason: string | null }[]>`
    select a.answer ->> 'total_amount' as amount, coalesce(a.answer #>> '{refusal,reason}', a.answer #>> '{refusal,code}') as reason
    from rows from (jsonb_to_recordset(${JSON.stringify(questions)}::text::jsonb)
      as (external_id text, entry timestamp, minutes integer)) with ordinality as q (external_id, entry, minutes, place)
    join public.parking_lots l on l.source = ${source} and l.external_id = q.external_id
    cross join lateral (select q.entry at time zone l.time_zone as entry_at) e
    cross join lateral (
      select private.fee_answer(l.id, 'standard', e.entry_at, e.entry_at + make_interval(mins => q.minutes)) as answer
    ) a
    order by q.place`;
  return rows.map(({ amount, reason }) => amount === null ? reason ?? "no answer" : Number(amount));
}

class Undo extends Error {}

/** Prices the published totals of a file. The database is as before. */
export async function totalsOf(url: string, options: TotalsOptions): Promise<TotalsReport> {
  const opened = await openSource(options.file);
  const records: Read[] = [];
  for await (const read of opened.records) records.push(read);
  const sample = records.filter((read): read is SourceRecord => !isUnreadable(read)).slice(0, 200);
  const mapping = options.mapping === undefined
    ? await recognisedMapping(opened.format, sample)
    : await namedMapping(options.mapping);
  const reviewed = (await reviewedErrors()).filter((one) => one.mapping === mapping.name);
  const asked = records.flatMap((read) => askedOf(read, mapping));
  const ofLot = Map.groupBy(asked, ({ position }) => position);
  const wrong = asked.map(({ position, total, external_id }) =>
    publisherError(total, ofLot.get(position)!.map((other) => other.total)) ??
      reviewed.find((one) =>
        one.external_id === external_id && one.minutes === total.minutes && one.published === total.amount_minor
      )?.reason ?? null
  );
  const priced = asked.filter((one, n) => one.refused === null && wrong[n] === null);
  let found: (number | string)[] = [];
  const sql = connect(url);
  try {
    if (priced.length > 0) {
      await sql.begin(async (transaction) => {
        found = await prices(transaction, mapping, priced, options.entry ?? "2026-09-16T10:00");
        throw new Undo();
      });
    }
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  } finally {
    await sql.end({ timeout: 5 });
  }
  const answers = new Map(priced.map((one, n) => [one, found[n]!]));
  const results = asked.map((one, n): TotalResult => {
    const { position, external_id, name, total: { minutes, amount_minor: published }, refused } = one;
    const answer = answers.get(one);
    const known = { position, external_id, name, minutes, published };
    if (wrong[n] !== null) return { outcome: "publisher", ...known, priced: null, reason: wrong[n]! };
    if (typeof answer !== "number") return { outcome: "refused", ...known, priced: null, reason: answer ?? refused };
    return { outcome: answer === published ? "equal" : "different", ...known, priced: answer, reason: null };
  });
  const counts = { equal: 0, different: 0, refused: 0, publisher: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return { mapping: mapping.name, lots: ofLot.size, counts, results };
}

const TITLES = { equal: "equal", different: "different", refused: "refused", publisher: "publisher's error" } as const;

function text({ mapping, lots, counts, results }: TotalsReport, unit: string): string {
  const lines = [`${mapping}: ${results.length} published totals of ${lots} lots`, ""];
  for (const [outcome, title] of Object.entries(TITLES)) {
    lines.push(`${title.padEnd(18)}${String(counts[outcome as TotalResult["outcome"]]).padStart(7)}`);
  }
  for (const { outcome, position, external_id, name, minutes, published, priced, reason } of results) {
    if (outcome !== "different" && outcome !== "publisher") continue;
    const what = outcome === "different" ? `priced ${priced}` : reason;
    lines.push(
      `${
        TITLES[outcome]
      }: ${unit} ${position} (${external_id} ${name}), ${minutes} min, published ${published}: ${what}`,
    );
  }
  for (
    const [reason, ofReason] of Map.groupBy(results.filter(({ outcome }) => outcome === "refused"), (one) => one.reason)
  ) {
    const at = [...new Set(ofReason.map(({ position }) => position))];
    lines.push(
      `refused ${ofReason.length}, ${reason}: ${unit} ${at.slice(0, 10).join(", ")}${at.length > 10 ? " …" : ""}`,
    );
  }
  return lines.join("\n");
}

async function main(args: string[]): Promise<number> {
  const string = { type: "string" } as const, flag = { type: "boolean", default: false } as const;
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        "mapping": string,
        "db-url": string,
        "local-default": flag,
        "entry": string,
        "json": flag,
        "help": { ...flag, short: "h" },
      },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${HELP}`);
    return EXIT.misused;
  }
  const { values, positionals: [file, ...more] } = parsed;
  if (values.help) {
    console.log(HELP);
    return EXIT.equal;
  }
  if (
    file === undefined || more.length > 0 || !/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(values.entry ?? "2026-09-16T10:00")
  ) {
    console.error(`Name one file, and --entry as 2026-09-16T10:00.\n\n${HELP}`);
    return EXIT.misused;
  }
  try {
    const url = await databaseUrl(values["db-url"], values["local-default"]);
    const report = await totalsOf(url, {
      file,
      ...(values.mapping === undefined ? {} : { mapping: values.mapping }),
      ...(values.entry === undefined ? {} : { entry: values.entry }),
    });
    console.log(values.json ? report.results.map((one) => JSON.stringify(one)).join("\n") : text(report, "record"));
    return report.counts.different > 0 ? EXIT.different : EXIT.equal;
  } catch (error) {
    if (
      error instanceof ImportFailure || error instanceof postgres.PostgresError || error instanceof Deno.errors.NotFound
    ) {
      console.error(error.message);
      return EXIT.failed;
    }
    if (isLostConnection(error)) {
      console.error(
        `The database does not respond: ${error.message}. Start the platform (deno task dev) or give --db-url.`,
      );
      return EXIT.failed;
    }
    throw error;
  }
}

if (import.meta.main) process.exitCode = await main(Deno.args);

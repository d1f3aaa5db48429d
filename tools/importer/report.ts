import type { Unit } from "../../supabase/functions/_shared/import/reading/record.ts";
import type { Problem } from "../../supabase/functions/_shared/import/lot.ts";

export interface Counts {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  skipped: number;
  rejected: number;
  warnings: number;
}

/** What happened to one row; each is a line of the report file. */
export interface Entry {
  readonly outcome: "rejected" | "skipped" | "warning";
  readonly position: number;
  readonly unit: Unit;
  readonly external_id: string | null;
  readonly problems: readonly Problem[];
}

export interface ImportReport {
  readonly file: string;
  readonly format: string;
  readonly encoding: string | null;
  readonly mapping: string;
  readonly source: string;
  readonly licence: string | null;
  readonly dry_run: boolean;
  readonly counts: Counts;
  readonly entries: readonly Entry[];
  readonly seconds: number;
}

const SHOWN = 20;

function described({ position, unit, external_id, problems }: Entry): string {
  const id = external_id === null ? "" : ` (${external_id})`;
  const reasons = problems.map(({ field, reason }) => field === "" ? reason : `${field}: ${reason}`).join("; ");
  return `  ${unit} ${position}${id}: ${reasons}`;
}

function section(title: string, entries: readonly Entry[]): string[] {
  if (entries.length === 0) return [];
  const more = entries.length - SHOWN;
  return [
    "",
    `${title}:`,
    ...entries.slice(0, SHOWN).map(described),
    ...(more > 0 ? [`  … and ${more} more; --report <file> writes them all.`] : []),
  ];
}

/** How often each reason was given, the most frequent first. */
function tally(entries: readonly Entry[]): string[] {
  const reasons = entries.flatMap(({ problems }) => problems).map(({ field, reason }) => `${field}: ${reason}`);
  return [...Map.groupBy(reasons, (one) => one)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, SHOWN)
    .map(([reason, times]) => `  ${String(times.length).padStart(6)} × ${reason}`);
}

/** The table that is printed at the end. */
export function summary(report: ImportReport): string {
  const { counts, entries } = report;
  const rows: [string, string][] = [
    ["file", report.file],
    ["format", [report.format, report.encoding].filter(Boolean).join(", ")],
    ["mapping", report.mapping],
    ["source", report.source],
    ["licence", report.licence ?? "not stated"],
    ...Object.entries(counts).map(([name, count]): [string, string] => [name, String(count)]),
    ["seconds", report.seconds.toFixed(2)],
  ];
  const of = (outcome: Entry["outcome"]) => entries.filter((entry) => entry.outcome === outcome);
  return [
    ...rows.map(([name, value]) => `${name.padEnd(10)} ${value}`),
    ...(report.dry_run ? ["", "Dry run: nothing was written."] : []),
    ...section("Rejected", of("rejected")),
    ...section("Skipped", of("skipped")),
    ...section("Warnings", of("warning")),
    ...(counts.warnings > SHOWN ? ["", "Warnings by reason:", ...tally(of("warning"))] : []),
  ].join("\n");
}

/** One JSON object a line: the summary first, then every row that was not simply imported. */
export function ndjson(report: ImportReport): string {
  const { entries, counts, ...about } = report;
  return [{ outcome: "summary", ...about, ...counts }, ...entries]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

import type { Sql, TransactionSql } from "postgres";
import { ImportFailure } from "../supabase/functions/_shared/import/failure.ts";
import { mergeStage } from "./loading/merge.ts";
import { type Provenance, Stage, type Written } from "./loading/stage.ts";
import { namedMapping, recognisedMapping } from "./mapping/choose.ts";
import type { Mapping } from "../supabase/functions/_shared/import/definition.ts";
import { lotFieldsOf, mapRecord } from "../supabase/functions/_shared/import/lot.ts";
import { Progress } from "./progress.ts";
import { openSource } from "./reading/open.ts";
import type { SourceRecord } from "../supabase/functions/_shared/import/record.ts";
import { isUnreadable, type OpenSource, type Read } from "./reading/record.ts";
import type { Encoding } from "./reading/text.ts";
import type { Counts, Entry, ImportReport } from "./report.ts";

export interface ImportOptions {
  readonly file: string;
  /** A built-in mapping's name or the path of one; without it the file's own columns decide. */
  readonly mapping?: string;
  readonly encoding?: Encoding;
  readonly source?: string;
  readonly licence?: string;
  readonly attribution?: string;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  /** Receives how far the import is, in place of the line on stderr. */
  readonly progress?: Progress;
}

const SAMPLE = 200;

/** Ends the transaction of a dry run, after everything has been tried. */
class DryRun extends Error {}

interface Sampled {
  readonly sample: readonly Read[];
  readonly records: AsyncIterable<Read>;
}

/** The first records, and all of them: a mapping is chosen before any is mapped. */
async function sampled(records: AsyncIterable<Read>): Promise<Sampled> {
  const iterator = records[Symbol.asyncIterator]();
  const sample: Read[] = [];
  while (sample.length < SAMPLE) {
    const next = await iterator.next();
    if (next.done) break;
    sample.push(next.value);
  }
  async function* all() {
    yield* sample;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { sample, records: all() };
}

function sourceOf(options: ImportOptions, mapping: Mapping): string {
  const named = options.source ?? mapping.source;
  if (named !== undefined) return named;
  const stem = (options.file.split("/").at(-1) ?? "").replace(/\.[^.]*$/, "").slice(0, 100);
  if (stem === "") throw new ImportFailure("Name the source with --source.");
  return stem;
}

/** Reads a file, maps it and writes it in one transaction: all of its good rows, or nothing. */
export async function importFile(sql: Sql, options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const opened = await openSource(options.file, options.encoding);
  const { sample, records } = await sampled(opened.records);
  const readable = sample.filter((read): read is SourceRecord => !isUnreadable(read));
  const mapping = options.mapping === undefined
    ? await recognisedMapping(opened.format, readable)
    : await namedMapping(options.mapping);
  const source = sourceOf(options, mapping);
  const licence = options.licence ?? mapping.licence ?? null;
  const provenance: Provenance = {
    source,
    licence,
    attribution: options.attribution ?? mapping.attribution ?? null,
    source_url: mapping.source_url ?? null,
  };
  const job = new Job(mapping, provenance, opened, options.progress ?? new Progress(options.quiet ?? false));
  try {
    await sql.begin(async (transaction) => {
      await job.load(transaction, records);
      if (options.dryRun) throw new DryRun();
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  } finally {
    job.progress.end();
  }
  return {
    file: options.file,
    format: opened.format,
    encoding: opened.encoding,
    mapping: mapping.name,
    source,
    licence,
    dry_run: options.dryRun ?? false,
    counts: job.counts,
    entries: job.entries,
    seconds: (performance.now() - started) / 1000,
  };
}

class Job {
  readonly counts: Counts = { read: 0, inserted: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0, warnings: 0 };
  readonly entries: Entry[] = [];
  /** Where each id of the file was first seen. */
  readonly #seen = new Map<string, number>();

  constructor(
    readonly mapping: Mapping,
    readonly provenance: Provenance,
    readonly opened: OpenSource,
    readonly progress: Progress,
  ) {}

  async load(sql: TransactionSql, records: AsyncIterable<Read>): Promise<void> {
    const { mapping, provenance } = this;
    // Two imports of one source would each find the other's lots missing: the second waits.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`import ${provenance.source}`}, 0))`;
    await this.#checkTags(sql);
    const written: Written = { fields: lotFieldsOf(mapping), withOperator: mapping.operator !== undefined };
    const stage = await Stage.open(sql, written, provenance);
    try {
      for await (const read of records) {
        await this.#take(read, stage);
        this.progress.rows(this.counts.read);
      }
    } catch (error) {
      await stage.abort();
      throw error;
    }
    await stage.finish();
    this.progress.step(`Writing ${this.counts.read - this.counts.skipped - this.counts.rejected} lots`);
    Object.assign(this.counts, await mergeStage(sql, written, provenance.source, mapping.status, this.progress));
  }

  /** A misspelt tag would vanish silently in a join. */
  async #checkTags(sql: TransactionSql): Promise<void> {
    const { tags, hours } = this.mapping;
    const slugs = [...new Set([...tags.map((tag) => tag.slug), ...(hours === undefined ? [] : ["open_24h"])])];
    if (slugs.length === 0) return;
    const known = await sql<{ slug: string }[]>`select slug from public.tags where slug = any (${slugs})`;
    const missing = slugs.filter((slug) => !known.some((tag) => tag.slug === slug));
    if (missing.length > 0) {
      throw new ImportFailure(`The mapping ${this.mapping.name} names tags that do not exist: ${missing.join(", ")}.`);
    }
  }

  async #take(read: Read, stage: Stage): Promise<void> {
    const { position } = read;
    this.counts.read++;
    if (isUnreadable(read)) {
      this.#note("rejected", position, null, [{ field: "", reason: read.unreadable }]);
      return;
    }
    const mapped = mapRecord(read, this.mapping);
    if ("skipped" in mapped) {
      this.#note("skipped", position, null, [{ field: "", reason: mapped.skipped }]);
      return;
    }
    if ("problems" in mapped) {
      this.#note("rejected", position, mapped.externalId ?? null, mapped.problems);
      return;
    }
    const { lot } = mapped;
    const earlier = this.#seen.get(lot.externalId);
    if (earlier !== undefined) {
      const reason = `${this.opened.unit} ${earlier} has the same one`;
      this.#note("rejected", position, lot.externalId, [{ field: "external_id", reason }]);
      return;
    }
    this.#seen.set(lot.externalId, position);
    if (lot.warnings.length > 0) this.#note("warning", position, lot.externalId, lot.warnings);
    await stage.add(position, lot);
  }

  #note(outcome: Entry["outcome"], position: number, external_id: string | null, problems: Entry["problems"]): void {
    this.counts[outcome === "warning" ? "warnings" : outcome]++;
    this.entries.push({ outcome, position, unit: this.opened.unit, external_id, problems });
  }
}

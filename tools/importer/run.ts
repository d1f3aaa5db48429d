import postgres, { type Sql, type TransactionSql } from "postgres";
import { connect } from "./database.ts";
import { ImportFailure } from "../../supabase/functions/_shared/import/failure.ts";
import { mergeBatch, type Outcome } from "./loading/merge.ts";
import { Batch, type Provenance, type Written } from "./loading/stage.ts";
import { namedMapping, recognisedMapping } from "./mapping/choose.ts";
import type { Mapping } from "../../supabase/functions/_shared/import/definition.ts";
import { lotFieldsOf, mapRecord } from "../../supabase/functions/_shared/import/lot.ts";
import { Progress } from "./progress.ts";
import { openSource } from "./reading/open.ts";
import { withReading } from "./readers.ts";
import type { SourceRecord } from "../../supabase/functions/_shared/import/record.ts";
import type { Encoding } from "../../supabase/functions/_shared/import/reading/encoding.ts";
import { isUnreadable, type OpenSource, type Read } from "../../supabase/functions/_shared/import/reading/record.ts";
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
/** How often a batch is tried that deadlocks with another transaction. */
const TRIES = 5;
const LOCK_WAIT_MS = 500;

/** Ends the transaction of a dry run, after everything has been tried. */
class DryRun extends Error {
  constructor(readonly outcome: Outcome) {
    super();
  }
}

/** The import ended before the end of its file; the batches before that stay. */
export class ImportStopped extends Error {
  constructor(readonly writtenLots: number, override readonly cause: unknown) {
    super("The import stopped", { cause });
  }
}

interface Examined {
  readonly rows: number;
  readonly sample: readonly SourceRecord[];
}

/** Reads the file to its end: one that is broken somewhere is rejected before anything is written. */
async function examine({ records }: OpenSource, progress: Progress): Promise<Examined> {
  const sample: SourceRecord[] = [];
  let rows = 0;
  for await (const read of records) {
    if (rows < SAMPLE && !isUnreadable(read)) sample.push(read);
    progress.rows(++rows);
  }
  return { rows, sample };
}

function sourceOf(options: ImportOptions, mapping: Mapping): string {
  const named = options.source ?? mapping.source;
  if (named !== undefined) return named;
  const stem = (options.file.split("/").at(-1) ?? "").replace(/\.[^.]*$/, "").slice(0, 100);
  if (stem === "") throw new ImportFailure("Name the source with --source.");
  return stem;
}

/**
 * Reads a file, maps it and writes its good rows, some hundred in a transaction. An import that ended early is started
 * again: rows that are written are found unchanged.
 */
export async function importFile(url: string, options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const sql = connect(url);
  const progress = options.progress ?? new Progress(options.quiet ?? false);
  const named = options.mapping === undefined ? undefined : await namedMapping(options.mapping);
  const opened = await openSource(options.file, options.encoding ?? named?.encoding);
  const { rows, sample } = await examine(opened, progress);
  const mapping = named ?? await recognisedMapping(opened.format, sample);
  const provenance: Provenance = {
    source: sourceOf(options, mapping),
    licence: options.licence ?? mapping.licence ?? null,
    attribution: options.attribution ?? mapping.attribution ?? null,
    source_url: mapping.source_url ?? null,
  };
  const job = new Job(mapping, provenance, opened.unit, rows, options.dryRun ?? false, progress);
  try {
    await job.run(sql, (await openSource(options.file, opened.encoding ?? undefined)).records);
  } catch (error) {
    if (job.writtenLots === 0) throw error;
    throw new ImportStopped(job.writtenLots, error);
  } finally {
    progress.end();
    await sql.end({ timeout: 5 });
  }
  return {
    file: options.file,
    format: opened.format,
    encoding: opened.encoding,
    mapping: mapping.name,
    source: provenance.source,
    licence: provenance.licence,
    dry_run: job.isDryRun,
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
    readonly unit: OpenSource["unit"],
    readonly rows: number,
    readonly isDryRun: boolean,
    readonly progress: Progress,
  ) {}

  get writtenLots(): number {
    const { inserted, updated } = this.counts;
    return this.isDryRun ? 0 : inserted + updated;
  }

  async run(sql: Sql, records: AsyncIterable<Read>): Promise<void> {
    const { mapping, provenance } = this;
    while (!await this.#lockSource(sql, "session")) {
      this.progress.step(`Waiting for another import of ${provenance.source}`);
      await new Promise((resolve) => setTimeout(resolve, LOCK_WAIT_MS));
    }
    await this.#checkTags(sql);
    const written: Written = { fields: lotFieldsOf(mapping), withOperator: mapping.operator !== undefined };
    let batch = new Batch(written, provenance);
    for await (const read of records) {
      this.#take(read, batch);
      if (!batch.isFull) continue;
      await this.#write(sql, batch);
      batch = new Batch(written, provenance);
    }
    if (batch.lots > 0) await this.#write(sql, batch);
  }

  /** Whether this is the only import of a file of the source; until the end of the session, or of the transaction. */
  async #lockSource(sql: Sql | TransactionSql, until: "session" | "transaction"): Promise<boolean> {
    const lock = sql.unsafe(until === "session" ? "pg_try_advisory_lock" : "pg_try_advisory_xact_lock");
    const [row] = await sql<{ is_locked: boolean }[]>`
      select ${lock}(hashtextextended(${`import file ${this.provenance.source}`}, 0)) as is_locked`;
    return row!.is_locked;
  }

  async #write(sql: Sql, batch: Batch): Promise<void> {
    const outcome = await this.#merged(sql, batch);
    this.counts.inserted += outcome.inserted;
    this.counts.updated += outcome.updated;
    this.counts.unchanged += outcome.unchanged;
    this.progress.lots(this.counts.read, this.rows, this.writtenLots);
  }

  async #merged(sql: Sql, batch: Batch): Promise<Outcome> {
    for (let tries = 1;; tries++) {
      try {
        return await sql.begin(async (transaction) => {
          // The driver replaces a connection that is lost, and the session's lock is lost with it.
          if (!await this.#lockSource(transaction, "transaction")) {
            throw new ImportFailure(
              "The connection to the database was lost, and another import of this source began.",
            );
          }
          // The console imports too (private.merge_import_rows): it waits for a batch, not for the file.
          await transaction`select pg_advisory_xact_lock(hashtextextended(${`import ${this.provenance.source}`}, 0))`;
          const outcome = await mergeBatch(transaction, batch, this.mapping.status);
          if (this.isDryRun) throw new DryRun(outcome);
          return outcome;
        });
      } catch (error) {
        if (error instanceof DryRun) return error.outcome;
        const isDeadlock = error instanceof postgres.PostgresError && error.code === "40P01";
        if (!isDeadlock || tries === TRIES) throw error;
      }
    }
  }

  /** A misspelt tag would vanish silently in a join. */
  async #checkTags(sql: Sql): Promise<void> {
    const { tags, hours } = this.mapping;
    const slugs = [...new Set([...tags.map((tag) => tag.slug), ...(hours === undefined ? [] : ["open_24h"])])];
    if (slugs.length === 0) return;
    const known = await sql<{ slug: string }[]>`select slug from public.tags where slug = any (${slugs})`;
    const missing = slugs.filter((slug) => !known.some((tag) => tag.slug === slug));
    if (missing.length > 0) {
      throw new ImportFailure(`The mapping ${this.mapping.name} names tags that do not exist: ${missing.join(", ")}.`);
    }
  }

  #take(read: Read, batch: Batch): void {
    const { position } = read;
    this.counts.read++;
    if (isUnreadable(read)) {
      this.#note("rejected", position, null, [{ field: "", reason: read.unreadable }]);
      return;
    }
    const mapped = withReading(read, this.mapping, mapRecord);
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
      const reason = `${this.unit} ${earlier} has the same one`;
      this.#note("rejected", position, lot.externalId, [{ field: "external_id", reason }]);
      return;
    }
    this.#seen.set(lot.externalId, position);
    if (lot.warnings.length > 0) this.#note("warning", position, lot.externalId, lot.warnings);
    batch.add(position, lot);
  }

  #note(outcome: Entry["outcome"], position: number, external_id: string | null, problems: Entry["problems"]): void {
    this.counts[outcome === "warning" ? "warnings" : outcome]++;
    this.entries.push({ outcome, position, unit: this.unit, external_id, problems });
  }
}

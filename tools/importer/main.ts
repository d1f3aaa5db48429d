// deno task import <file>: open data into parking_lots. See docs/operations/import.md and --help.
import { parseArgs } from "node:util";
import process from "node:process";
import postgres from "postgres";
import { isLostConnection, surviveDriverFaults } from "../../local/postgres/driver_faults.ts";
import { databaseUrl } from "./database.ts";
import { ImportFailure } from "../../supabase/functions/_shared/import/failure.ts";
import { type Encoding, ENCODINGS } from "../../supabase/functions/_shared/import/reading/encoding.ts";
import { ndjson, summary } from "./report.ts";
import { importFile, type ImportOptions, ImportStopped } from "./run.ts";

const EXIT = { imported: 0, failed: 1, misused: 2, rowsRejected: 3, interrupted: 130 } as const;

const HELP = `deno task import <file> [options]

Reads GeoJSON, CSV, NDJSON or xlsx and writes parking lots; the same file again changes nothing.

  --mapping <name|file>   how columns become fields; found by the file's columns when absent
  --db-url <url>          default: DB_URL
  --local-default         without --db-url and DB_URL, import into the running local platform (deno task import sets it)
  --source <name>         where the lots come from; with their id it names a lot (default: the mapping's)
  --licence <name>        default: the mapping's
  --attribution <text>    whom the licence wants named (default: the mapping's)
  --encoding <name>       ${ENCODINGS.join(", ")} (default: the
                          mapping's, else by the bytes)
  --dry-run               try everything, write nothing
  --report <file>         NDJSON: a summary, then every row that was rejected, skipped or warned about
  --quiet                 no progress on stderr

Lots are written 1,000 in a transaction. After 1 or 130 run the same command again: it continues.

Exit code: 0 imported; 3 imported, but rows were rejected; 1 failed, see stderr for the reason and what was written;
130 stopped by Ctrl-C; 2 the command is wrong.`;

class Misuse extends Error {}

interface Command extends ImportOptions {
  readonly databaseUrl: string | undefined;
  readonly localDefault: boolean;
  readonly reportFile: string | undefined;
}

const OTHER_NAMES: Readonly<Record<string, Encoding>> = {
  utf8: "utf-8",
  sjis: "shift_jis",
  "shift-jis": "shift_jis",
  cp932: "shift_jis",
  ms932: "shift_jis",
  jis: "iso-2022-jp",
  "latin-1": "windows-1252",
  latin1: "windows-1252",
  "iso-8859-1": "windows-1252",
  cp1252: "windows-1252",
};

function isEncoding(name: string): name is Encoding {
  return (ENCODINGS as readonly string[]).includes(name);
}

function parsed(args: string[]) {
  const text = { type: "string" } as const, flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        "mapping": text,
        "db-url": text,
        "local-default": flag,
        "source": text,
        "licence": text,
        "attribution": text,
        "encoding": text,
        "report": text,
        "dry-run": flag,
        "quiet": flag,
        "help": { ...flag, short: "h" },
      },
    });
  } catch (error) {
    if (error instanceof TypeError) throw new Misuse(error.message);
    throw error;
  }
}

function commandOf(args: string[]): Command | undefined {
  const { values, positionals } = parsed(args);
  if (values.help) return undefined;
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Misuse("Name one file.");
  const { encoding, mapping, source, licence, attribution } = values;
  const known = encoding === undefined ? undefined : OTHER_NAMES[encoding.toLowerCase()] ?? encoding.toLowerCase();
  if (known !== undefined && !isEncoding(known)) {
    throw new Misuse(`--encoding is one of ${ENCODINGS.join(", ")}, not ${encoding}.`);
  }
  return {
    file,
    databaseUrl: values["db-url"],
    localDefault: values["local-default"],
    reportFile: values.report,
    dryRun: values["dry-run"],
    quiet: values.quiet,
    ...(known === undefined ? {} : { encoding: known }),
    ...(mapping === undefined ? {} : { mapping }),
    ...(source === undefined ? {} : { source }),
    ...(licence === undefined ? {} : { licence }),
    ...(attribution === undefined ? {} : { attribution }),
  };
}

/** What a person can act on; anything else is a defect and keeps its stack. */
function explained(error: unknown, file: string): string | undefined {
  if (error instanceof ImportStopped) {
    const cause = explained(error.cause, file);
    return cause &&
      `${cause}\n${error.writtenLots} lots of earlier batches were written. Run the command again to continue.`;
  }
  if (error instanceof ImportFailure) return error.message;
  if (error instanceof Deno.errors.NotFound) return `There is no file ${file}.`;
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.IsADirectory) return error.message;
  if (error instanceof postgres.PostgresError) {
    return ["The database refused:", error.message, error.detail, error.where]
      .filter(Boolean).join("\n  ");
  }
  if (!isLostConnection(error)) return undefined;
  if ("code" in error && error.code === "ECONNREFUSED") {
    return `The database does not respond: ${error.message}. Start the platform (deno task dev) or give another --db-url.`;
  }
  return "The connection to the database was lost before it confirmed a batch. Run the command again to continue: nothing is written twice.";
}

/** A report that cannot be written is known before anything is imported. */
async function checkReport(path: string): Promise<void> {
  try {
    (await Deno.open(path, { write: true, create: true })).close();
  } catch (cause) {
    throw new ImportFailure(`The report cannot be written to ${path}: ${String(cause)}`, { cause });
  }
}

async function run(command: Command): Promise<number> {
  Deno.addSignalListener("SIGINT", () => {
    console.error("\nStopped. What was written stays; the same command continues.");
    Deno.exit(EXIT.interrupted);
  });
  surviveDriverFaults(() => {}); // the transaction fails with the reason
  if (command.reportFile !== undefined) await checkReport(command.reportFile);
  const report = await importFile(await databaseUrl(command.databaseUrl, command.localDefault), command);
  if (command.reportFile !== undefined) await Deno.writeTextFile(command.reportFile, ndjson(report));
  console.log(summary(report));
  return report.counts.rejected > 0 ? EXIT.rowsRejected : EXIT.imported;
}

/** Runs the command and returns its exit code. */
async function main(args: string[]): Promise<number> {
  let file = "";
  try {
    const command = commandOf(args);
    if (command === undefined) {
      console.log(HELP);
      return EXIT.imported;
    }
    file = command.file;
    return await run(command);
  } catch (error) {
    if (error instanceof Misuse) {
      console.error(`${error.message}\n\n${HELP}`);
      return EXIT.misused;
    }
    const message = explained(error, file);
    if (message === undefined) throw error;
    console.error(message);
    return EXIT.failed;
  }
}

process.exitCode = await main(Deno.args);

/// <reference lib="dom" />
/** Importing lots: a file, what its columns are, a trial as a table with the errors at their cells, and the import. */
import { useRef, useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { ImportFailure } from "../../../../../../../supabase/functions/_shared/import/failure.ts";
import {
  type Encoding,
  UnsureEncoding,
} from "../../../../../../../supabase/functions/_shared/import/reading/encoding.ts";
import { LotImport } from "../../../../bounds.ts";
import { label } from "../../../../codes.ts";
import { number } from "../../../../format.ts";
import { href } from "../../../../router.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { ErrorNote } from "../../../../ui/error_note.tsx";
import { Field, Form, Select } from "../../../../ui/form.tsx";
import { ActionButton, useAction } from "../../../../ui/load.tsx";
import { client, may } from "../../../kit/access.ts";
import { announcement } from "../../../kit/announcement.ts";
import { Details } from "../../../kit/details.tsx";
import { csvOf, download } from "../../../kit/download.ts";
import { fieldLabel } from "../../../kit/schema_form.tsx";
import { rereadLists } from "../../../kit/table.tsx";
import {
  guessMapping,
  IMPORT_FIELDS,
  LIMITS,
  type LotFile,
  lotsOf,
  partsOf,
  previewOf,
  readLots,
  type Row,
} from "./lot_file.ts";
import { SentenceError } from "../../../../sentence_error.ts";

const text = consoleTexts(({ lotImport }) => lotImport);

type Report = components["schemas"]["LotImportReport"];
type Outcome = Report["rows"][number];
type About = Pick<components["schemas"]["LotImport"], "source" | "licence" | "attribution" | "status">;

/** Rows that the table shows at once. */
const SHOWN = 100;

/** Sends the lots in parts, and makes one report of the answers. */
async function send(lots: readonly Record<string, unknown>[], about: About, isTrial: boolean): Promise<Report> {
  const reports: Report[] = [];
  let first = 0;
  for (const part of partsOf(lots)) {
    const body = { ...about, dry_run: isTrial, partial: true, lots: part };
    const { data } = await client.POST("/v1/admin/parking-lots/import", { body });
    reports.push({ ...data, rows: data.rows.map((row) => ({ ...row, index: row.index + first })) });
    first += part.length;
  }
  const sum = (name: keyof Report["counts"]) => reports.reduce((all, { counts }) => all + counts[name], 0);
  const names = ["read", "created", "updated", "unchanged", "rejected", "warnings"] as const;
  return {
    dry_run: isTrial,
    counts: Object.fromEntries(names.map((name) => [name, sum(name)])) as Report["counts"],
    rows: reports.flatMap(({ rows }) => rows),
  };
}

export function ImportScreen() {
  const t = text.value;
  const [file, setFile] = useState<LotFile>();
  const [mapping, setMapping] = useState<Record<string, string>>({});
  const [about, setAbout] = useState<About>();
  const [report, setReport] = useState<Report>();
  const [chosen, setChosen] = useState<File>();
  const [preview, setPreview] = useState<readonly [Encoding, string][]>();
  const encoding = useRef<Encoding | undefined>(undefined);
  const choose = (file: File | undefined) => {
    setChosen(file);
    setFile(undefined);
    setReport(undefined);
    setPreview(undefined);
    encoding.current = undefined;
  };
  const reading = useAction(async () => {
    setFile(undefined);
    setReport(undefined);
    try {
      let read: LotFile, used: Encoding | undefined;
      do {
        used = encoding.current;
        read = await readLots(chosen!, used);
      } while (used !== encoding.current); // another one was chosen meanwhile
      setFile(read);
      setMapping(guessMapping(read.columns));
    } catch (error) {
      if (!(error instanceof ImportFailure)) throw error;
      const candidates = error instanceof UnsureEncoding ? error.candidates : [];
      if (candidates.length === 0) throw new SentenceError(`${t.unreadable} ${error.message}`);
      setPreview(await previewOf(chosen!, candidates));
    }
  });
  const check = async (rows: readonly Row[], about: About) => {
    setReport(await send(lotsOf(rows, mapping), about, true));
    announcement.value = t.checked;
  };
  return (
    <div class="console-import">
      <h2>{t.file}</h2>
      <p class="small">{t.fileHint(LIMITS.megabytes, number(LIMITS.rows))}</p>
      <div class="row">
        <input
          type="file"
          aria-label={t.file}
          disabled={reading.isRunning}
          accept=".csv,.tsv,.txt,.json,.geojson,.ndjson,.jsonl,text/csv,application/json"
          onChange={(event) => choose(event.currentTarget.files?.[0])}
        />
        <button type="button" disabled={!chosen} aria-busy={reading.isRunning} onClick={() => void reading.run()}>
          {t.read}
        </button>
        <span role="status">{file && t.rows(number(file.rows.length))}</span>
      </div>
      {preview && (
        <Encodings
          preview={preview}
          onChoose={(chosen) => {
            encoding.current = chosen;
            void reading.run();
          }}
        />
      )}
      {reading.error !== undefined && <ErrorNote error={reading.error} />}
      {file && file.unreadable.length > 0 && <Unreadable file={file} />}
      {file && file.rows.length > 0 && (
        <>
          <Mapping file={file} mapping={mapping} onChange={setMapping} />
          <h2>{t.about}</h2>
          <Form
            class="form console-schema"
            submit={t.check}
            onSubmit={async (values) => {
              const next = aboutOf(values);
              setAbout(next);
              await check(file.rows, next);
            }}
          >
            <Field name="source" label={t.source} hint={t.sourceHint} {...LotImport.source} required />
            <Field name="licence" label={t.licence} {...LotImport.licence} />
            <Field name="attribution" label={t.attribution} {...LotImport.attribution} />
            <Select
              name="status"
              label={t.status}
              options={["draft", "active"].map((code) => [code, label("parking_lot_status", code)])}
            />
          </Form>
        </>
      )}
      {file && about && report && (
        <ImportReport
          file={file}
          mapping={mapping}
          report={report}
          onCorrect={async (rows) => {
            setFile({ ...file, rows });
            await check(rows, about);
          }}
          onApply={async () => {
            setReport(await send(lotsOf(file.rows, mapping), about, false));
            announcement.value = t.applied;
            rereadLists();
          }}
        />
      )}
    </div>
  );
}

function aboutOf(values: FormData): About {
  const of = (name: string) => String(values.get(name) ?? "").trim();
  return {
    source: of("source"),
    status: of("status") as "draft" | "active",
    ...(of("licence") ? { licence: of("licence") } : {}),
    ...(of("attribution") ? { attribution: of("attribution") } : {}),
  };
}

/** The encodings that the file may have, with a line of it in each, for a person who knows the letters to choose. */
function Encodings({ preview, onChoose }: {
  preview: readonly [Encoding, string][];
  onChoose: (encoding: Encoding) => void;
}) {
  const t = text.value;
  const nameOf = (encoding: Encoding) => (t.encodings as Record<string, string>)[encoding] ?? encoding;
  return (
    <>
      <h2>{t.encoding}</h2>
      <p class="small">{t.encodingHint}</p>
      <Details
        data={preview}
        fields={preview.map(([encoding, line]) => ({ label: nameOf(encoding), show: () => <bdi>{line}</bdi> }))}
      />
      <Select
        name="encoding"
        label={t.encoding}
        options={preview.map(([encoding]) => [encoding, nameOf(encoding)])}
        placeholder={t.chooseEncoding}
        onChange={(value) => value !== "" && onChoose(value as Encoding)}
      />
    </>
  );
}

/** Rows that are no rows, with their places. */
function Unreadable({ file: { unreadable } }: { file: LotFile }) {
  const t = text.value;
  return (
    <div class="notice error" role="alert">
      <p>{t.unreadableRows(number(unreadable.length))}</p>
      <ul class="small">
        {unreadable.slice(0, SHOWN).map(({ position, unreadable }) => (
          <li key={position}>{t.row} {number(position)}: {unreadable}</li>
        ))}
      </ul>
      {unreadable.length > SHOWN && <p class="small">{t.moreRows(number(unreadable.length - SHOWN))}</p>}
    </div>
  );
}

/** What each column is: its field in the service, or nothing. */
function Mapping({ file, mapping, onChange }: {
  file: LotFile;
  mapping: Readonly<Record<string, string>>;
  onChange: (mapping: Record<string, string>) => void;
}) {
  const t = text.value;
  return (
    <>
      <h2>{t.columns}</h2>
      <table class="console-table" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">{t.column}</th>
            <th role="columnheader" scope="col">{t.example}</th>
            <th role="columnheader" scope="col">{t.field}</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {file.columns.map((column) => (
            <tr key={column} role="row">
              <td role="cell" data-head={t.column}>{column}</td>
              <td role="cell" data-head={t.example}>{short(file.rows[0]?.values[column])}</td>
              <td role="cell" data-head={t.field}>
                <select
                  aria-label={t.fieldOf(column)}
                  value={mapping[column]}
                  onChange={(event) => onChange({ ...mapping, [column]: event.currentTarget.value })}
                >
                  <option value="">{t.leftOut}</option>
                  {Object.keys(IMPORT_FIELDS).map((field) => (
                    <option key={field} value={field}>{fieldLabel(field)}</option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** An outline can have thousands of positions. */
const short = (value: unknown): string => {
  const text = shown(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

interface ReportProps {
  readonly file: LotFile;
  readonly mapping: Readonly<Record<string, string>>;
  readonly report: Report;
  readonly onCorrect: (rows: readonly Row[]) => Promise<void>;
  readonly onApply: () => Promise<void>;
}

/** What the import would do, or did, with each row. A cell with an error can be corrected. */
function ImportReport({ file, mapping, report, onCorrect, onApply }: ReportProps) {
  const t = text.value;
  const [onlyBad, setOnlyBad] = useState(true);
  const [corrections, setCorrections] = useState<ReadonlyMap<string, string>>(new Map());
  const { counts } = report;
  const good = counts.created + counts.updated;
  const bad = report.rows.filter(({ errors, warnings }) => errors.length > 0 || warnings.length > 0);
  const listed = onlyBad && bad.length > 0 ? bad : report.rows;
  const columns = file.columns.filter((column) => mapping[column] !== "");
  const corrected = () =>
    file.rows.map((row, index) => {
      const cells = columns.flatMap((column) => {
        const value = corrections.get(`${index} ${column}`);
        return value === undefined ? [] : [[column, value]];
      });
      return cells.length === 0 ? row : { ...row, values: { ...row.values, ...Object.fromEntries(cells) } };
    });
  return (
    <section aria-label={t.result}>
      <h2>{report.dry_run ? t.trial : t.result}</h2>
      <p role="status">
        {t.counts(number(counts.created), number(counts.updated), number(counts.unchanged), number(counts.rejected))}
      </p>
      <div class="row">
        {report.dry_run
          ? (
            <>
              {corrections.size > 0 && (
                <ActionButton
                  perform={async () => {
                    await onCorrect(corrected());
                    setCorrections(new Map());
                  }}
                >
                  {t.checkAgain}
                </ActionButton>
              )}
              {good > 0 && <ActionButton class="primary" perform={onApply}>{t.apply(number(good))}</ActionButton>}
            </>
          )
          : may("lots") && <a class="button" href={href("/console/activity-logs")}>{t.record}</a>}
        {counts.rejected > 0 && (
          <button
            type="button"
            onClick={() => download("rejected.csv", "text/csv", csvOf(rejectedRows(file, columns, report)))}
          >
            {t.rejectedFile}
          </button>
        )}
        <label class="row">
          <input type="checkbox" checked={onlyBad} onChange={(event) => setOnlyBad(event.currentTarget.checked)} />
          {t.onlyBad}
        </label>
      </div>
      <div class="console-rows">
        <table class="console-table console-import-rows" role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col" class="number">{t.row}</th>
              <th role="columnheader" scope="col">{t.outcome}</th>
              {columns.map((column) => <th key={column} role="columnheader" scope="col">{column}</th>)}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {listed.slice(0, SHOWN).map((outcome) => (
              <ReportRow
                key={outcome.index}
                outcome={outcome}
                row={file.rows[outcome.index]!}
                columns={columns}
                mapping={mapping}
                isOpen={report.dry_run}
                corrections={corrections}
                onCorrect={(column, value) =>
                  setCorrections(new Map(corrections).set(`${outcome.index} ${column}`, value))}
              />
            ))}
          </tbody>
        </table>
      </div>
      {listed.length > SHOWN && <p class="small">{t.moreRows(number(listed.length - SHOWN))}</p>}
    </section>
  );
}

function ReportRow({ outcome, row, columns, mapping, isOpen, corrections, onCorrect }: {
  outcome: Outcome;
  row: Row;
  columns: readonly string[];
  mapping: Readonly<Record<string, string>>;
  isOpen: boolean;
  corrections: ReadonlyMap<string, string>;
  onCorrect: (column: string, value: string) => void;
}) {
  const t = text.value;
  const notes = [...outcome.errors, ...outcome.warnings];
  // `lots.7.windows.0.open_time` belongs to the column of `windows`.
  const fieldOf = ({ param }: { param: string }) => param.split(".")[2] ?? "";
  const fields = new Set(columns.map((column) => mapping[column]));
  const others = notes.filter((note) => !fields.has(fieldOf(note)));
  return (
    <tr role="row">
      <td role="cell" data-head={t.row} class="number">{number(row.position)}</td>
      <td role="cell" data-head={t.outcome}>
        <span class={outcome.outcome === "rejected" ? "wrong" : undefined}>{t.outcomes[outcome.outcome]}</span>
        {others.map(({ param, message }) => (
          <p key={param} class="small wrong">{fieldLabel(fieldOf({ param }))}: {message}</p>
        ))}
      </td>
      {columns.map((column) => {
        const own = notes.filter((note) => fieldOf(note) === mapping[column]);
        const value = corrections.get(`${outcome.index} ${column}`) ?? shown(row.values[column]);
        return (
          <td key={column} role="cell" data-head={column} class={own.length > 0 ? "is-wrong" : undefined}>
            {own.length > 0 && isOpen
              ? (
                <input
                  aria-label={t.cell(column, row.position)}
                  value={value}
                  onChange={(event) => onCorrect(column, event.currentTarget.value)}
                />
              )
              : short(value)}
            {own.map(({ message }) => <p key={message} class="small wrong">{message}</p>)}
          </td>
        );
      })}
    </tr>
  );
}

function rejectedRows(file: LotFile, columns: readonly string[], report: Report): string[][] {
  const rejected = report.rows.filter(({ outcome }) => outcome === "rejected");
  return [
    [...columns, text.value.errors],
    ...rejected.map(({ index, errors }) => [
      ...columns.map((column) => shown(file.rows[index]?.values[column])),
      errors.map(({ param, message }) => `${param.split(".").slice(2).join(".")}: ${message}`).join(" "),
    ]),
  ];
}

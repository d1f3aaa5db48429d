// `deno task effects`: writes docs/contributing/effects.md, what the triggers of each table do, as the running platform's
// database has them. tests/db/effects.test.ts compares the page. `deno task effects <function>`: prints all that follows
// from a call, a chain.
import postgres, { type Sql } from "postgres";
import { ownPlatform } from "../local/commands.ts";
import { gatewayPort } from "../local/settings.ts";
import { table, wrapped } from "../supabase/functions/openapi/markdown.ts";

export const FILE = new URL("../docs/contributing/effects.md", import.meta.url);
const SOURCES = ["schemas", "migrations"].map((folder) => new URL(`../supabase/${folder}/`, import.meta.url));

/** The most used commands. */
const COMMANDS: readonly string[] = [
  "commands.start_parking_session",
  "commands.finalize_parking_session",
  "commands.cancel_parking_session",
  "commands.post_review",
  "api.admin_decide_review",
  "commands.rate_parking_lot",
  "commands.vote_on_field_value",
  "commands.report_occupancy",
  "commands.save_parking_lot",
  "commands.post_error_report",
  "api.admin_update_error_report",
  "commands.check_in_at_sponsor",
];

/** The chains of the most used commands. */
export const commandChains = (catalogue: Catalogue) => COMMANDS.map((name) => ({ name, ...chainOf(name, catalogue) }));

/** What many commands end in: a chain of its own, which is not drawn again in each. */
const OWN_CHAINS: readonly string[] = [
  "private.notify",
  "private.tg_assets__refresh_lots",
  "private.tg_parking_lots__refresh",
];

const MAX_DEPTH = 6;
const MAX_SESSION_DEPTH = 8;

/**
 * No chain of this command is longer. Pictures leave with the user of a session, and a trigger that reads the changed rows as
 * a set is one of every update of the table: so the commands that change a session have that chain too.
 */
export const maxDepth = (name: string) => name.endsWith("_parking_session") ? MAX_SESSION_DEPTH : MAX_DEPTH;

/** A trigger function of so many tables is described once. */
const SHARED_BY = 4;

type Operation = "insert" | "update" | "delete" | "truncate";

interface SqlFunction {
  readonly name: string;
  readonly comment: string | null;
  readonly body: string;
}

export interface Trigger {
  readonly table: string;
  readonly name: string;
  readonly isBefore: boolean;
  readonly operations: readonly Operation[];
  /** Of `update of`; empty for any. */
  readonly columns: readonly string[];
  readonly calls: string;
}

/** A statement that writes. Without columns it is unknown which ones an update sets. */
export interface Write {
  readonly operation: Operation;
  readonly table: string;
  readonly columns?: readonly string[];
}

/** What a function does itself: the functions that it calls and the rows that it writes. */
interface Body {
  readonly calls: readonly string[];
  readonly writes: readonly Write[];
}

export interface Catalogue {
  readonly functions: ReadonlyMap<string, Body>;
  readonly sentences: ReadonlyMap<string, string>;
  readonly triggers: readonly Trigger[];
}

export async function readCatalogue(sql: Sql): Promise<Catalogue> {
  const functions = await sql<SqlFunction[]>`
    select n.nspname || '.' || p.proname as name, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body, obj_description(p.oid, 'pg_proc') as comment
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('api', 'commands', 'private') and p.prokind = 'f'
    order by n.nspname collate "C", p.proname collate "C"`;
  const triggers = await sql<Trigger[]>`
    select n.nspname || '.' || c.relname as table, t.tgname as name, t.tgtype & 2 > 0 as "isBefore",
      pn.nspname || '.' || p.proname as calls,
      array_remove(array[
        case when t.tgtype & 4 > 0 then 'insert' end,
        case when t.tgtype & 16 > 0 then 'update' end,
        case when t.tgtype & 8 > 0 then 'delete' end,
        case when t.tgtype & 32 > 0 then 'truncate' end
      ], null) as operations,
      array(
        select a.attname::text from unnest(t.tgattr::smallint[]) with ordinality as k (attnum, nth)
        join pg_attribute a on a.attrelid = t.tgrelid and a.attnum = k.attnum
        order by k.nth
      ) as columns
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_proc p on p.oid = t.tgfoid
    join pg_namespace pn on pn.oid = p.pronamespace
    where not t.tgisinternal and t.tgparentid = 0 and pn.nspname in ('api', 'commands', 'private')
    order by n.nspname collate "C" desc, c.relname collate "C", not t.tgtype & 2 > 0, t.tgname collate "C"`;
  const names = new Set(functions.map(({ name }) => name));
  const above = linesAbove();
  return {
    functions: new Map(functions.map(({ name, body }) => [name, bodyOf(body, names)])),
    sentences: new Map(functions.map(({ name, comment }) => [name, firstSentence(comment ?? above.get(name) ?? "")])),
    triggers,
  };
}

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  const [sentence] = text.replaceAll(/\s+/g, " ").trim().match(/^.*?[.:](?= |$)/) ?? [""];
  return sentence.replace(/:$/, ".");
}

/** The comments in lines directly above `create function`, by the name of the function, from the SQL files. */
function linesAbove(): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of SOURCES.flatMap(sqlFiles)) {
    for (const [_, lines, name] of text.matchAll(/((?:^--.*\n)+)create (?:or replace )?function ([a-z]+\.\w+)\(/gm)) {
      found.set(name!, lines!.replaceAll(/^-- ?/gm, ""));
    }
  }
  return found;
}

function sqlFiles(folder: URL): string[] {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  return entries.flatMap(({ name, isDirectory }) =>
    isDirectory
      ? sqlFiles(new URL(`${name}/`, folder))
      : name.endsWith(".sql")
      ? [Deno.readTextFileSync(new URL(name, folder))]
      : []
  );
}

const TABLE = String.raw`((?:public|private|auth|storage|realtime)\.\w+)`;
const STATEMENT = new RegExp(
  String.raw`\b(?:(insert) into|(delete) from(?: only)?|(?<!for |no key )(update)(?: only)?) ${TABLE}`,
  "g",
);

/** The functions of `names` that a body calls, and what it writes: every table has its schema, because `search_path` is empty. */
export function bodyOf(source: string, names: ReadonlySet<string>): Body {
  const body = source.replaceAll(/--.*$/gm, " ").replaceAll(/\s+/g, " ");
  const calls = [...body.matchAll(/\b((?:api|commands|private)\.\w+) ?\(/g)].map(([, name]) => name!)
    .filter((name) => names.has(name));
  const writes = [...body.matchAll(STATEMENT)].flatMap(
    ({ index, 0: written, 1: insert, 2: remove, 4: table }): Write[] => {
      const rest = statementFrom(body, index + written.length);
      if (remove) return [{ operation: "delete", table: table! }];
      if (!insert) return [{ operation: "update", table: table!, ...columnsSet(rest) }];
      const conflict = /\bon conflict\b.*?\bdo update\b(.*)/.exec(rest);
      return [
        { operation: "insert", table: table! },
        ...(conflict ? [{ operation: "update", table: table!, ...columnsSet(conflict[1]!) } as const] : []),
      ];
    },
  );
  return { calls: [...new Set(calls)], writes: merged(writes) };
}

/** The text up to the end of a statement: the semicolon, or the parenthesis that closes what it is in. */
function statementFrom(body: string, start: number): string {
  let depth = 0;
  for (let at = start; at < body.length; at++) {
    if (body[at] === "(") depth++;
    if (body[at] === ")" && --depth < 0) return body.slice(start, at);
    if (body[at] === ";" && depth === 0) return body.slice(start, at);
  }
  return body.slice(start);
}

/** The columns of `set`. */
function columnsSet(statement: string): { columns?: readonly string[] } {
  const assigned = /\bset\b(.*)/.exec(statement)?.[1];
  if (assigned === undefined) return {};
  let depth = 0;
  const top = [...assigned].map((char) => {
    if (char === "(") depth++;
    if (char === ")") depth--;
    return depth > 0 && char === "," ? " " : depth > 0 ? char.replace("=", " ") : char;
  }).join("").split(/\b(?:where|from|returning)\b/)[0]!;
  const columns = top.split(",").flatMap((part) => /^\s*\(?([\w ]+)\)?\s*=/.exec(part)?.[1]?.trim().split(/ +/) ?? []);
  return columns.length > 0 ? { columns } : {};
}

function merged(writes: readonly Write[]): Write[] {
  return [...Map.groupBy(writes, ({ operation, table }) => `${operation} ${table}`).values()].map((same) => {
    const { operation, table } = same[0]!;
    if (operation !== "update" || same.some(({ columns }) => columns === undefined)) return { operation, table };
    return { operation, table, columns: [...new Set(same.flatMap(({ columns }) => columns!))] };
  });
}

const isFired = ({ table, operations, columns }: Trigger, write: Write) =>
  table === write.table && operations.includes(write.operation) &&
  (write.operation !== "update" || columns.length === 0 || write.columns === undefined ||
    write.columns.some((column) => columns.includes(column)));

/** What a function writes, itself and in the functions that it calls. Triggers are not followed. */
export function writesOf(name: string, { functions }: Pick<Catalogue, "functions">, seen = new Set<string>()): Write[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const { calls, writes } = functions.get(name) ?? { calls: [], writes: [] };
  return merged([...writes, ...calls.flatMap((call) => writesOf(call, { functions }, seen))]);
}

interface Line {
  readonly depth: number;
  readonly text: string;
}

export interface Chain {
  readonly lines: readonly Line[];
  /** The functions and tables of the chain, and of those that only read. */
  readonly functions: number;
  readonly tables: number;
  /** The longest way from the call to a write, also through parts that were drawn before. */
  readonly depth: number;
}

/**
 * All that follows from a call: functions, what they write, and the triggers of that. A part that was drawn is not drawn again.
 * A function that writes in one way to one table, and calls none that writes, is no step: its write counts as its caller's.
 */
export function chainOf(start: string, catalogue: Catalogue): Chain {
  const lines: Line[] = [];
  const drawn = new Set<string>();
  const tables = new Set<string>();
  const hasEffects = (name: string) => writesOf(name, catalogue).length > 0;
  const firedBy = (write: Write) =>
    [...new Set(catalogue.triggers.filter((trigger) => isFired(trigger, write)).map(({ calls }) => calls))]
      .filter(hasEffects);
  const called = (name: string) =>
    catalogue.functions.get(name)!.calls.filter((call) => call !== name && hasEffects(call));
  const isWriter = (name: string) => called(name).length === 0 && catalogue.functions.get(name)!.writes.length === 1;

  function draw(name: string, depth: number, prefix = ""): void {
    const isNew = !drawn.has(name);
    const isOwn = name !== start && OWN_CHAINS.includes(name);
    lines.push({ depth, text: `${prefix}${name}()${isOwn ? " ↗" : isNew || !hasEffects(name) ? "" : " ↑"}` });
    if (!isNew || isOwn) return;
    drawn.add(name);
    for (const call of called(name)) (isWriter(call) ? drawWriter : draw)(call, depth + 1);
    for (const write of catalogue.functions.get(name)!.writes) drawWrite(write, depth + 1);
  }

  function drawWriter(name: string, depth: number): void {
    drawn.add(name);
    drawWrite(catalogue.functions.get(name)!.writes[0]!, depth, ` by ${name}()`);
  }

  function drawWrite(write: Write, depth: number, by = ""): void {
    tables.add(write.table);
    const columns = write.columns ? ` (${listed(write.columns)})` : "";
    lines.push({ depth, text: `${write.operation} ${write.table}${columns}${by}` });
    for (const calls of firedBy(write)) draw(calls, depth + 1, "→ ");
  }

  const heights = new Map<string, number>();
  /** The steps from a function to the last write that follows from it. A circle ends where it began. */
  function height(name: string): number {
    const known = name !== start && OWN_CHAINS.includes(name) ? 0 : heights.get(name);
    if (known !== undefined) return known;
    heights.set(name, 0);
    const steps = [
      ...called(name).map((call) => (isWriter(call) ? 0 : 1) + height(call)),
      ...catalogue.functions.get(name)!.writes.map((write) =>
        1 + Math.max(0, ...firedBy(write).map((calls) => 1 + height(calls)))
      ),
    ];
    const highest = Math.max(0, ...steps);
    heights.set(name, highest);
    return highest;
  }

  draw(start, 0);
  return { lines, functions: drawn.size, tables: tables.size, depth: height(start) };
}

/** At most four names. */
function listed(names: readonly string[]): string {
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 3).join(", ")}, … ${names.length} columns`;
}

/** The place of an example in the introduction. */
const EXAMPLE = "example";

const short = (name: string) => name.replace(/^(?:public|private)\./, "");

/** The text of the page. */
export async function effectsPage(sql: Sql): Promise<string> {
  const catalogue = await readCatalogue(sql);
  const { triggers } = catalogue;
  const tablesOf = Map.groupBy(triggers, ({ calls }) => calls);
  const isShared = (name: string) => new Set(tablesOf.get(name)!.map(({ table }) => table)).size >= SHARED_BY;
  const byTable = Map.groupBy(triggers.filter(({ calls }) => !isShared(calls)), ({ table }) => table);
  const example = printedChain("commands.rate_parking_lot", catalogue);
  return `${
    [
      ...introduction.map((part) =>
        part === EXAMPLE ? `\`\`\`text\n${example}\n\`\`\`` : part.startsWith("- ") ? part : wrapped(part)
      ),
      table([
        ["Command", "Depth", "Functions", "Tables"],
        ...commandChains(catalogue).map((
          { name, depth, functions, tables },
        ) => [`\`${name}\``, ...[depth, functions, tables].map(String)]),
      ]),
      "## Triggers of many tables",
      wrapped("These functions do the same for each table that has them. They are not repeated below."),
      [...tablesOf].filter(([name]) => isShared(name)).map(([name, same]) => {
        const tables = [...new Set(same.map(({ table }) => `\`${short(table)}\``))].sort();
        return item(`\`${short(name)}\`. ${effectOf(name, catalogue)} On ${tables.join(", ")}.`);
      }).sort().join("\n"),
      "## Triggers by table",
      wrapped(
        "By the name of the trigger, in which order they run. An `update` names the columns that start the trigger. “Writes” " +
          "contains what the function and the functions that it calls write; the triggers of those tables follow.",
      ),
      ...[...byTable].flatMap(([name, own]) => [
        `### ${short(name)}`,
        [...Map.groupBy(own, ({ isBefore, calls }) => `${isBefore} ${calls}`).values()].map((same) => {
          const { calls } = same[0]!;
          return item(`**${eventsOf(same)}**: \`${short(calls)}\`. ${effectOf(calls, catalogue)}`);
        }).join("\n"),
      ]),
    ].join("\n\n")
  }\n`;
}

const introduction = [
  "# Effects",
  "What follows from a write. This page is printed by `deno task effects` from the catalogue of the database; a test " +
  "compares it.",
  "Effects in other domains are called where they begin, in order: by `private.record_activity` for an activity, " +
  "`private.empty_account` for a withdrawal, and functions `private.on_…`. A trigger does what concerns its own table. It " +
  "does more where a table has more writers than functions: `reviews`, `assets`, `parking_sessions`, `exp_entries`.",
  "## Chains",
  "`deno task effects <function>` prints all that follows from a call, with `task dev` running. Of `rate_parking_lot`:",
  EXAMPLE,
  "The number at the beginning of a line is its depth. A line is one of these:",
  [
    "- `private.end_session()`: a function that is called",
    "- `update public.reviews (status)`: rows that it writes, with the columns it sets",
    "- `insert public.user_themes by private.give_earned_themes()`: rows that a function writes which does nothing else",
    "- `→ private.tg_reviews__follow()`: a trigger of these rows, which runs in the same transaction",
    "- `↑`: drawn above in the same tree",
    item(
      `\`↗\`: the end of many chains, which has one of its own: ${OWN_CHAINS.map((name) => `\`${name}\``).join(", ")}`,
    ),
  ].join("\n"),
  "Functions that only read are left out. A chain is what can follow: the conditions of triggers and functions are not " +
  "evaluated, so a request does a part of it. Rows that a foreign key deletes, and tables that a function names at run time, " +
  "are not in it. A client's call comes through `api.run_command`, which counts the request and stores its reply.",
  "A message in a queue ends a chain. One of the [consumers](architecture.md#background-work) continues in a transaction " +
  "of its own.",
  "The most used commands. The depth is the longest way to a write or to `↗`, through parts that are drawn above as well. " +
  "A function that writes in one way to one table, and calls none that writes, is no step: its write counts as its caller's. " +
  `No chain is deeper than ${MAX_DEPTH}, or ${MAX_SESSION_DEPTH} where a session changes: its pictures leave with its user, ` +
  "and a trigger that reads the changed rows as a set cannot be limited to a column.",
];

/** All that follows from a call, a line each. */
function printedChain(name: string, catalogue: Catalogue): string {
  const { lines } = chainOf(name, catalogue);
  const digits = String(Math.max(...lines.map(({ depth }) => depth))).length;
  return lines.map(({ depth, text }) => `${String(depth).padStart(digits)} ${"  ".repeat(depth)}${text}`).join("\n");
}

/** The events of the triggers of one table that call one function. */
function eventsOf(triggers: readonly Trigger[]): string {
  const events = triggers.flatMap(({ operations, columns }) =>
    operations.map((one) => one === "update" && columns.length > 0 ? `update of ${columns.join(", ")}` : one)
  );
  const order = ["insert", "update", "delete", "truncate"];
  const sorted = [...new Set(events)].sort((a, b) => order.indexOf(a.split(" ")[0]!) - order.indexOf(b.split(" ")[0]!));
  return `${triggers[0]!.isBefore ? "before" : "after"} ${sorted.join("; ")}`;
}

/** A function's sentence, and what it writes. */
function effectOf(name: string, catalogue: Catalogue): string {
  const writes = [...new Set(writesOf(name, catalogue).map(({ table }) => `\`${short(table)}\``))].sort();
  return [
    ...[catalogue.sentences.get(name)].filter(Boolean),
    ...(writes.length > 0 ? [`Writes ${writes.join(", ")}.`] : []),
  ].join(" ");
}

/** An item of a list, wrapped like the formatter does. */
function item(text: string): string {
  return `- ${wrapped(text, 118).replaceAll("\n", "\n  ")}`;
}

/** The function with this name, which may lack the schema. */
export function functionNamed(name: string, { functions }: Pick<Catalogue, "functions">): string | undefined {
  return [name, ...["commands", "api", "private"].map((schema) => `${schema}.${name}`)].find((each) =>
    functions.has(each)
  );
}

if (import.meta.main) {
  const [asked] = Deno.args;
  const address = Deno.env.get("DB_URL") ?? (await ownPlatform(gatewayPort()))?.status?.DB_URL;
  if (address === undefined) {
    console.error("No database: start the platform with `deno task dev`, or set DB_URL.");
    Deno.exit(1);
  }
  const sql = postgres(address, { max: 1, onnotice: () => {} });
  try {
    if (asked === undefined) {
      await Deno.writeTextFile(FILE, await effectsPage(sql));
      console.log("wrote docs/contributing/effects.md");
    } else {
      const catalogue = await readCatalogue(sql);
      const name = functionNamed(asked, catalogue);
      console.log(name === undefined ? `There is no function ${asked}.` : printedChain(name, catalogue));
      if (name === undefined) Deno.exitCode = 1;
    }
  } finally {
    await sql.end();
  }
}

// Project rules for SQL that no linter checks: the files of supabase/schemas, and migrations written by hand. A finding
// reads `<file>:<line> <what is wrong>`.
import { schemaFiles, writtenMigrations } from "../release/schema.ts";

export interface SqlFile {
  /** Its path in the repository. */
  readonly name: string;
  readonly text: string;
}

/** Postgres writes these into the statement that calls them, whose plan is kept: tests/db/advisors.test.ts sees that it does. */
const INLINED: readonly string[] = ["private.nearby_ranking", "private.usability"];

const NAME = /^supabase\/(?:schemas\/[a-z][a-z_]*\/[a-z][a-z_]*|migrations\/\d{14}_[a-z][a-z0-9_]*)\.sql$/;
/** A heading that the next one, or the end of the file, follows, perhaps after grants: they belong to what is above. */
const EMPTY_SECTION =
  /^-- -{20,}\n-- [^\n]*\n-- -{20,}\n(?=\s*(?:(?:grant|revoke) [^;]*;\s*)*(?:-- -{20,}\n|$(?![\s\S])))/gm;
/** Functions of one expression. Postgres writes one into the statement that calls it, unless it has a query or a setting. */
const EXPRESSIONS = /^create (?:or replace )?function (?:(?!\n\n)[\s\S])*?^return [\s\S]*?;$/gm;
/** From this length on the linter advises to split a function. */
const LONG_FUNCTION = 60;

/** The files of the schema in the order in which they build a database. */
export function schema(): SqlFile[] {
  return schemaFiles().map(({ path, text }) => ({ name: `supabase/schemas/${path}`, text }));
}

/** The schema, and the migrations that are written by hand. */
export function allSql(): SqlFile[] {
  const written = writtenMigrations().map(({ path, text }) => ({ name: `supabase/migrations/${path}`, text }));
  return [...schema(), ...written];
}

/** What is no fault, and worth a second look. */
export function sqlAdvice({ name, text }: SqlFile): string[] {
  return functions(text).filter(({ height }) => height > LONG_FUNCTION)
    .map(({ line, called, height }) => `${name}:${line} ${called} has ${height} lines`);
}

export function sqlFindings({ name, text }: SqlFile): string[] {
  const findings: string[] = [];
  const find = (line: number, what: string) => findings.push(`${name}:${line} ${what}`);
  const lines = text.split("\n");
  const code = withoutTexts(text);

  if (!NAME.test(name)) find(1, "is neither schemas/<domain>/<idea>.sql nor migrations/YYYYMMDDHHmmss_<change>.sql");
  const version = /\/(\d{8})(\d{6})_/.exec(name);
  if (version && !isTime(`${version[1]}T${version[2]}`)) find(1, "begins with no time that exists");
  if (!/^-- [A-Z][^\n]*[.:][^\n]*\n(--[^\n]*\n)+/.test(text)) find(1, "does not open with its story");
  if (lines.every((line) => line === "" || line.startsWith("--"))) find(1, "has a story and no statement");
  for (const { index } of text.matchAll(EMPTY_SECTION)) {
    find(text.slice(0, index).split("\n").length, "has a heading and no statement below it");
  }
  if (!text.endsWith("\n") || text.endsWith("\n\n")) find(lines.length, "does not end with one line break");

  lines.forEach((line, index) => {
    if (/\s$/.test(line)) find(index + 1, "ends in white space");
    const rule = /^create (?:or replace )?function (private\.\w+)/.exec(line)?.[1];
    if (rule !== undefined && !/^-- \S/.test(lines[index - 1] ?? "")) {
      find(index + 1, `has no sentence above ${rule} that states its purpose`);
    }
    if (line.startsWith("comment on function private.")) {
      find(index + 1, "states the purpose of a rule below it, not above it");
    }
    if (line.includes("\t")) find(index + 1, "has a tab");
  });

  code.split("\n").forEach((line, index) => {
    const upper = /\b[A-Z]{2,}\b/.exec(line);
    if (upper) find(index + 1, `writes ${upper[0]} in upper case`);
    if (/\bwhen\s+others\b/.test(line)) find(index + 1, "catches errors that it does not name");
    if (/\bsecurity definer\b/.test(line) && !/security definer -- \S/.test(lines[index] ?? "")) {
      find(index + 1, "does not say on its line why it is security definer");
    }
  });

  for (const { index, 0: written } of code.matchAll(WRITES)) {
    const line = code.slice(0, index).split("\n").length;
    if (!hasWhere(code, index + written.length)) {
      find(line, `writes every row: ${written.replaceAll(/\s+/g, " ")} needs a where`);
    }
  }

  for (const { index, 0: written } of text.matchAll(EXPRESSIONS)) {
    const [head = "", body = ""] = withoutTexts(written).split(/^return /m);
    if (/\bselect\b/.test(body) && !/\bset search_path\b/.test(head)) {
      find(
        text.slice(0, index).split("\n").length,
        "has a query in its expression, so no statement contains it: it needs a search path",
      );
    }
  }

  for (const { line, called, locals, language } of functions(text)) {
    if (language === "sql" && !INLINED.includes(called)) {
      find(line, "is a text in sql, which is planned anew for every statement that calls it");
    }
    for (const local of locals.filter((name) => !/^[vc]_/.test(name))) {
      find(line, `has a local ${local}, not v_${local}`);
    }
  }
  return findings;
}

/** Functions of private that no statement names but those that create, describe and grant them. */
export function uncalled(text: string): string[] {
  const statements = text.replaceAll(/--[^\n]*\n?/g, "").split(/\n\n+/).filter((one) =>
    !/^(comment on|grant|revoke) /.test(one)
  );
  const callers = new Map<string, Set<number>>();
  statements.forEach((statement, n) => {
    for (const [, name] of statement.matchAll(/\bprivate\.(\w+)/g)) {
      callers.set(name!, (callers.get(name!) ?? new Set()).add(n));
    }
  });
  return [...text.matchAll(/^create function private\.(\w+)/gm)].map(([, name]) => name!)
    .filter((name) => callers.get(name)!.size < 2);
}

/** Hosted projects reject these without a `where` (pg-safeupdate). */
const WRITES = /\bdelete\s+from\s+[\w.]+|\bupdate\s+[a-z_]+\.\w+(?:\s+(?:as\s+)?\w+)?\s+set\b/g;

/** Whether the statement, or the part in parentheses, that goes on here has a `where` of its own. */
function hasWhere(code: string, from: number): boolean {
  let depth = 0;
  for (const { 0: token } of code.slice(from).matchAll(/[();]|\bwhere\b/g)) {
    if (token === "(") depth++;
    else if (token === ")" && depth-- === 0) return false;
    else if (token === ";" && depth === 0) return false;
    else if (token === "where" && depth === 0) return true;
  }
  return false;
}

/** Functions of which every call reaches one of these, by the functions that their text calls. */
function reaching(texts: readonly string[], targets: readonly string[]): (name: string) => boolean {
  const calls = new Map<string, Set<string>>();
  for (const { called, body } of texts.flatMap(functions)) {
    const names = body.replaceAll(/--[^\n]*/g, "").matchAll(/\b(?:api|commands|private)\.\w+(?=\()/g);
    const of = calls.get(called) ?? calls.set(called, new Set()).get(called)!;
    for (const [name] of names) of.add(name);
  }
  const reaches = (name: string, seen: Set<string>): boolean =>
    targets.includes(name) ||
    !seen.has(name) && [...calls.get(name) ?? []].some((called) => reaches(called, seen.add(name)));
  return (name) => reaches(name, new Set());
}

/** Functions that may raise and say that they are immutable: the planner may call those while it plans. */
export function raisingImmutables(texts: readonly string[]): string[] {
  const raises = reaching(texts, ["private.raise_error"]);
  return texts.flatMap(functions).filter(({ head, called }) => /\bimmutable\b/.test(head) && raises(called)).map((
    { called },
  ) => called);
}

/** Functions that read a text as a time by a rule of their own: `private.is_moment` is the one for times of requests. */
export function otherMoments(texts: readonly string[]): string[] {
  return texts.flatMap(functions).filter(({ body }) => /\bpg_input_is_valid\([^;]*?'timestamptz'\)/.test(body))
    .map(({ called }) => called).filter((name) => !["private.is_moment", "private.is_cursor_key"].includes(name));
}

/** Acts (routes with POST) that are recorded only under a condition, so that some of them leave no record. */
export function conditionalRecords(texts: readonly string[], acts: ReadonlySet<string>): string[] {
  return texts.flatMap(functions).filter(({ called, body }) =>
    acts.has(called) && /^ {3,}(perform )?private\.record_\w*act\(/m.test(body)
  ).map(({ called }) => called);
}

/** Commands that do not lock the account that they write for. */
export function unlockedCommands(texts: readonly string[]): string[] {
  const locks = reaching(texts, ["private.writing_user", "private.lock_account", "private.lock_subscription"]);
  return texts.flatMap(functions).map(({ called }) => called).filter((name) =>
    name.startsWith("commands.") && !locks(name)
  );
}

/** Where a variable is written and not read. */
const targets = (name: string) =>
  new RegExp(
    String.raw`\binto (?:strict )?(?:[\w.]+, )*${name}\b|\bdiagnostics ${name} =|\bfor ${name} in\b|` +
      String.raw`(?<=(?:;|\b(?:begin|then|else|loop))\s+)${name}(?:[.[][^;:=]*)? :?=`,
    "g",
  );

/** The arguments and variables that a function does not read, as `function name`: some of them may be assigned. */
export function unread(texts: readonly string[]): string[] {
  return texts.flatMap(functions).flatMap(({ called, head, body, locals }) => {
    const code = withoutTexts(body);
    const named = (name: string) => [...code.matchAll(new RegExp(String.raw`\b${name}\b`, "g"))].length;
    const args = [...head.matchAll(/\bp_\w+/g)].map(([name]) => name).filter((name) => named(name) === 0);
    const variables = locals.filter((name) => named(name) === 1 + [...code.matchAll(targets(name))].length);
    return [...args, ...variables].map((name) => `${called} ${name}`);
  });
}

/** Whether a text is a date and a time in the basic format of ISO 8601. */
function isTime(text: string): boolean {
  try {
    Temporal.PlainDateTime.from(text);
    return true;
  } catch {
    return false;
  }
}

/** The same text with comments, strings and quoted names blanked; code in dollar quotes stays. */
function withoutTexts(text: string): string {
  const blank = (found: string) => found.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/g, blank);
}

interface SqlFunction {
  readonly line: number;
  /** Its schema and name. */
  readonly called: string;
  /** The part before its text, and the text. */
  readonly head: string;
  readonly body: string;
  readonly height: number;
  readonly language: string | undefined;
  /** The names that it declares. */
  readonly locals: readonly string[];
}

function functions(text: string): SqlFunction[] {
  return [...text.matchAll(/^create (?:or replace )?function(?:(?!\n\n)[\s\S])*?\bas (\$\w*\$)([\s\S]*?)\1/gm)].map((
    match,
  ) => ({
    line: text.slice(0, match.index).split("\n").length,
    called: /^create (?:or replace )?function ([\w.]+)/.exec(match[0])?.[1] ?? "",
    head: match[0].slice(0, match[0].indexOf(match[1]!)),
    body: match[2]!,
    height: match[0].split("\n").length,
    language: /\blanguage (\w+)/.exec(match[0])?.[1],
    locals: [...(/^declare\n([\s\S]*?)^begin/m.exec(match[2]!)?.[1] ?? "").matchAll(/^ {2}([a-z]\w*) /gm)].map((name) =>
      name[1]!
    ),
  }));
}

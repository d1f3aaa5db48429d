// A call of a function: which one a request means, and the statement that calls it.
import type { Value } from "./messages.ts";
import type { Statement } from "./connection.ts";
import { RestError } from "./errors.ts";
import type { Parameter, RestFunction, Schema } from "./schema.ts";

/** The arguments of a request, in one of the three ways in which they are sent. */
export type Arguments =
  /** The fields of a JSON object, which Postgres converts to the types of the parameters. */
  | { readonly kind: "json"; readonly names: ReadonlySet<string>; readonly body: Value }
  /** Texts by name, from a query or a form; a variadic parameter takes all texts of its name. */
  | { readonly kind: "texts"; readonly texts: ReadonlyMap<string, readonly string[]> }
  /** A body that is no JSON: the whole of it is the only argument, of this type. */
  | { readonly kind: "whole"; readonly type: "text" | "xml" | "bytea"; readonly body: Value };

export interface Call {
  readonly target: RestFunction;
  /** Replies with one row: the body, the number of rows, response.status, response.headers. */
  readonly statement: Statement;
}

/** How the rows of a reply are counted, cut and put together. */
export interface ReplyShape {
  readonly maxRows: number;
  /** Exactly one row, without the array around it. */
  readonly isSingular: boolean;
  /** All rows are counted, also those beyond the limit. */
  readonly isCounted: boolean;
}

const GUCS =
  `nullif(current_setting('response.status', true), ''), nullif(current_setting('response.headers', true), '')`;

export function prepareCall(schema: Schema, profile: string, name: string, args: Arguments, shape: ReplyShape): Call {
  const { target, isWhole } = choose(schema, profile, name, args);
  const { from, list, values } = source(target, args, isWhole);
  const called = `${quoted(target.schema)}.${quoted(target.name)}(${list})`;
  return { target, statement: { text: statementFor(target, called, from, shape), values } };
}

/** PostgREST's choice among the functions of a name: by the names of the arguments. */
function choose(schema: Schema, profile: string, name: string, args: Arguments) {
  const candidates = schema.functions.get(`${profile}.${name}`) ?? [];
  const named = args.kind === "whole" ? [] : candidates.filter(({ parameters }) => matches(parameters, namesOf(args)));
  const whole = named.length > 0 ? [] : candidates.filter(({ parameters }) => takesWhole(parameters, args));
  const [target, ...others] = named.length > 0 ? named : whole;
  if (target === undefined) throw notFound(schema, profile, name, args);
  if (others.length > 0) throw ambiguous([target, ...others]);
  return { target, isWhole: named.length === 0 };
}

function matches(parameters: readonly Parameter[], names: ReadonlySet<string>): boolean {
  if (parameters.some(({ name }) => name === "")) return false;
  const known = new Set(parameters.map(({ name }) => name));
  return names.isSubsetOf(known) && parameters.every(({ name, isRequired }) => !isRequired || names.has(name));
}

function takesWhole(parameters: readonly Parameter[], args: Arguments): boolean {
  const [only, ...others] = parameters;
  if (only === undefined || others.length > 0 || only.name !== "") return false;
  if (args.kind === "texts") return false;
  return args.kind === "json" ? only.type === "json" || only.type === "jsonb" : only.type === args.type;
}

function namesOf(args: Arguments): ReadonlySet<string> {
  if (args.kind === "json") return args.names;
  return args.kind === "texts" ? new Set(args.texts.keys()) : new Set();
}

/** Where the arguments come from, and how they are written in the call. */
function source({ parameters }: RestFunction, args: Arguments, isWhole: boolean) {
  if (args.kind === "whole" || isWhole) {
    const body = args.kind === "texts" ? null : args.body;
    return { from: "", list: `$1::${parameters[0]!.type}`, values: [body] };
  }
  const given = parameters.filter(({ name }) => namesOf(args).has(name));
  const pass = ({ name, isVariadic }: Parameter, value: string) =>
    `${isVariadic ? "variadic " : ""}${quoted(name)} := ${value}`;
  if (args.kind === "texts") {
    const values = given.map(({ name, isVariadic }) => {
      const texts = args.texts.get(name)!;
      return isVariadic ? `{${texts.map(arrayElement).join(",")}}` : texts.at(-1)!;
    });
    const list = given.map((parameter, at) => pass(parameter, `$${at + 1}::${parameter.type}`)).join(", ");
    return { from: "", list, values };
  }
  if (given.length === 0) return { from: "", list: "", values: [] };
  const columns = given.map(({ name, type }) => `${quoted(name)} ${type}`).join(", ");
  return {
    from: ` from json_to_record($1::json) as pgrst_args (${columns})`,
    list: given.map((parameter) => pass(parameter, `pgrst_args.${quoted(parameter.name)}`)).join(", "),
    values: [args.body],
  };
}

function statementFor(target: RestFunction, called: string, from: string, shape: ReplyShape): string {
  const { returns, returnsSet } = target;
  if (returns === "void" && !returnsSet) return `select ${called}, 1, 1, ${GUCS}${from}`;
  if (!returnsSet && returns === "scalar") {
    return `select coalesce(to_json(${called}), 'null')::text, 1, 1, ${GUCS}${from}`;
  }
  // A row is asked for as a table, so that each call is one call and not one for each column.
  const lateral = from === "" ? ` from ${called}` : `${from}, lateral ${called}`;
  const rows = `select ${returns === "row" ? "pgrst_call.*" : "pgrst_call"}${lateral} as pgrst_call`;
  const limited = returnsSet ? `${rows} limit ${shape.maxRows}` : rows;
  const element = returns === "row" ? "pgrst_rows" : "pgrst_rows.pgrst_call";
  const list = `coalesce(json_agg(${element}), '[]')`;
  const body = returnsSet && !shape.isSingular ? list : `coalesce(json_agg(${element}) -> 0, 'null')`;
  if (!shape.isCounted) return `select ${body}::text, count(*), null, ${GUCS} from (${limited}) as pgrst_rows`;
  return `with pgrst_all as materialized (${rows})
    select ${body}::text, count(*), (select count(*) from pgrst_all), ${GUCS}
    from (select * from pgrst_all limit ${shape.maxRows}) as pgrst_rows`;
}

function notFound({ functions }: Schema, profile: string, name: string, args: Arguments): RestError {
  const called = `${profile}.${name}`;
  const names = [...namesOf(args)].sort();
  const list = names.join(", ");
  const inMessage = names.length === 0 ? " without parameters" : `(${list})`;
  const inDetails = names.length === 0
    ? " without parameters"
    : ` with parameter${names.length > 1 ? "s" : ""} ${list}`;
  const searched = args.kind === "whole"
    ? ` with a single unnamed ${args.type} parameter`
    : args.kind === "json"
    ? `${inDetails} or with a single unnamed json/jsonb parameter`
    : inDetails;
  const others = functions.get(called) ?? [];
  const hint = others.length === 0
    ? null
    : `Perhaps you meant to call the function ${called}(${others[0]!.parameters.map((one) => one.name).join(", ")})`;
  return new RestError(
    404,
    "PGRST202",
    `Could not find the function ${called}${args.kind === "whole" ? "" : inMessage} in the schema cache`,
    { details: `Searched for the function ${called}${searched}, but no matches were found in the schema cache.`, hint },
  );
}

function ambiguous(candidates: readonly RestFunction[]): RestError {
  const written = candidates.map(({ schema, name, parameters }) =>
    `${schema}.${name}(${parameters.map((one) => `${one.name} => ${one.type}`).join(", ")})`
  );
  return new RestError(
    300,
    "PGRST203",
    `Could not choose the best candidate function between: ${written.join(", ")}`,
    {
      hint:
        "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
    },
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function arrayElement(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

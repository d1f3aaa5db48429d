// A call of a function: which function a request means, and the statement that calls it.
import type { Statement } from "./connection.ts";
import { notSupported, RestError } from "./errors.ts";
import type { Arguments } from "./request.ts";
import type { RestFunction, Schema } from "./schema.ts";

/** PostgREST's choice among the functions of a name: by the names of the arguments. */
export function chooseFunction(schema: Schema, profile: string, name: string, { names }: Arguments): RestFunction {
  const candidates = schema.functions.get(`${profile}.${name}`) ?? [];
  const [target, ...others] = candidates.filter(({ parameters }) =>
    names.isSubsetOf(new Set(parameters.map((one) => one.name))) &&
    parameters.every((one) => !one.isRequired || names.has(one.name))
  );
  if (target === undefined) throw notFound(candidates, `${profile}.${name}`, [...names].sort());
  if (others.length > 0) throw ambiguous([target, ...others]);
  if (target.returns === "rows") throw notSupported("functions that return rows");
  return target;
}

/** Returns one row: the body, response.status and response.headers. */
export function callStatement({ schema, name, parameters, returns }: RestFunction, args: Arguments): Statement {
  const given = parameters.filter((one) => args.names.has(one.name));
  const isJson = "json" in args && given.length > 0;
  const list = given.map((one, at) =>
    `${quoted(one.name)} := ${isJson ? `arguments.${quoted(one.name)}` : `$${at + 1}::text::${one.type}`}`
  );
  const call = `${quoted(schema)}.${quoted(name)}(${list.join(", ")})`;
  const body = returns === "void" ? call : `coalesce(to_json(${call}), 'null')::text`;
  const columns = given.map((one) => `${quoted(one.name)} ${one.type}`).join(", ");
  const from = isJson ? ` from json_to_record($1::text::json) as arguments (${columns})` : "";
  const settings = ["response.status", "response.headers"].map((one) => `nullif(current_setting('${one}', true), '')`);
  return {
    text: `select ${body}, ${settings.join(", ")}${from}`,
    values: "texts" in args ? given.map((one) => args.texts.get(one.name)!) : isJson ? [args.json] : [],
  };
}

function notFound(candidates: readonly RestFunction[], called: string, names: readonly string[]): RestError {
  const list = names.join(", ");
  const withNames = names.length === 0
    ? "without parameters"
    : `with parameter${names.length > 1 ? "s" : ""} ${list} or with a single unnamed json/jsonb parameter`;
  const [other] = candidates;
  const hint = other === undefined
    ? null
    : `Perhaps you meant to call the function ${called}(${other.parameters.map((one) => one.name).join(", ")})`;
  return new RestError(
    404,
    "PGRST202",
    `Could not find the function ${called}${
      names.length === 0 ? " without parameters" : `(${list})`
    } in the schema cache`,
    {
      details: `Searched for the function ${called} ${withNames}, but no matches were found in the schema cache.`,
      hint,
    },
  );
}

function ambiguous(candidates: readonly RestFunction[]): RestError {
  const signatures = candidates.map(({ schema, name, parameters }) =>
    `${schema}.${name}(${parameters.map((one) => `${one.name} => ${one.type}`).join(", ")})`
  );
  const hint =
    "Try renaming the parameters or the function itself in the database so function overloading can be resolved";
  return new RestError(
    300,
    "PGRST203",
    `Could not choose the best candidate function between: ${signatures.join(", ")}`,
    { hint },
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

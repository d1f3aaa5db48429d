/** The building blocks of the schema of environment variables: what a variable may be, and what goes together. */
import { z } from "zod";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * The value of every variable of a schema. An empty variable counts as not set. Throws a ConfigError that names every variable
 * that is missing or wrong.
 */
export function parseVariables<Schema extends z.ZodObject>(
  schema: Schema,
  get: (name: string) => string | undefined,
): z.output<Schema> {
  const set = Object.keys(schema.shape).map((name) => [name, get(name)]).filter(([, value]) => value);
  const parsed = schema.safeParse(Object.fromEntries(set));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path[0]!.toString()} ${message}` : message
  );
  throw new ConfigError(problems.join("; "));
}

const MISSING = "is missing";

export const text = z.string().optional();

const httpUrl = z.string(MISSING).refine(isHttpUrl, "is not an http(s) URL").transform((url) =>
  url.replace(/\/+$/, "")
);

export const requiredUrl = httpUrl;
export const url = httpUrl.optional();

export const urlOr = (fallback: string) => httpUrl.default(fallback);

export const flag = z.enum(["true", "false"], "is neither true nor false").default("false").transform((value) =>
  value === "true"
);

export function numberOr(fallback: number, min: number, max: number) {
  const message = `is not a number from ${min} to ${max}`;
  return z.coerce.number(message).min(min, message).max(max, message).default(fallback);
}

/** A list with commas between; empty when it is not set. */
export function list(form: RegExp, what: string) {
  return z.string().default("").transform((value) => value.split(",").map((item) => item.trim()).filter(Boolean))
    .refine((items) => items.every((item) => form.test(item)), `is not a list of ${what}`);
}

/** A PEM block of this kind or several, with `\n` allowed for line ends. */
export function pem(kind: "PRIVATE KEY" | "CERTIFICATE") {
  return z.string().transform((value) => value.replaceAll("\\n", "\n"))
    .refine((value) => isPem(value, kind), `is not a PEM ${kind.toLowerCase()}`).optional();
}

/** The value in a JSON text; `what` describes it. */
export function json<Schema extends z.ZodType>(schema: Schema, what: string) {
  return z.string().transform((value, context): z.output<Schema> => {
    const parsed = schema.safeParse(jsonIn(value));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: "custom", message: `is not ${what}` });
    return z.NEVER;
  }).optional();
}

/** A rule over several variables. It is checked even if single variables are wrong, so that everything is named at once. */
export function rule<Env extends object>(problemOf: (env: Partial<Env>) => string | undefined) {
  const check = z.check<Env>(({ value, issues }) => {
    const message = problemOf(value);
    if (message !== undefined) issues.push({ code: "custom", message, input: value, path: [] });
  });
  check._zod.def.when = () => true;
  return check;
}

/** Variables that are only useful with each other: some of them without the others is a problem. */
export function together<Env extends object>(...names: readonly (keyof Env & string)[]) {
  return rule<Env>((env) => {
    const missing = names.filter((name) => env[name] === undefined);
    if (missing.length === 0 || missing.length === names.length) return undefined;
    const present = names.filter((name) => !missing.includes(name));
    return `${missing.join(" and ")} is missing, which ${present.join(" and ")} needs`;
  });
}

/** A variable that needs others. */
export function needs<Env extends object>(name: keyof Env & string, ...others: readonly (keyof Env & string)[]) {
  return rule<Env>((env) => {
    const missing = others.filter((other) => env[other] === undefined);
    if (env[name] === undefined || missing.length === 0) return undefined;
    return `${missing.join(" and ")} is missing, which ${name} needs`;
  });
}

export function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Each block is a DER sequence in base64. */
function isPem(value: string, kind: string): boolean {
  const blocks = [...value.matchAll(new RegExp(`-----BEGIN ${kind}-----([^-]*)-----END ${kind}-----`, "g"))];
  return blocks.length > 0 && blocks.every(([, base64 = ""]) => isSequence(base64));
}

function isSequence(base64: string): boolean {
  try {
    return atob(base64).startsWith("\x30");
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

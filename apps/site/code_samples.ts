/**
 * Code samples of an operation for the reference: the typed client, curl, Swift and Kotlin. They are generated from the
 * contract when the page is shown, so the contract stays small and a sample cannot differ from it.
 */

export interface Sample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: { readonly contentSchema?: unknown };
}

export interface Operation {
  readonly operationId: string;
  /** Absent means that of the contract: a token. */
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly "x-representations"?: Readonly<Record<string, unknown>> }>>;
}

export interface Contract {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

/** A request as all samples send it. Optional headers are left out: none is needed to begin with. */
export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  /** The address with the values of path and query. */
  readonly url: string;
  readonly pathValues: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly needsToken: boolean;
}

/** In place of a token, in the way of each language. */
const TOKEN = { shell: "$TOKEN", swift: "\\(token)", kotlin: "$token" };

export function sampleRequest(
  contract: Contract,
  path: string,
  method: string,
  /** The address of the functions, for example `http://127.0.0.1:54321/functions`. */
  base: string,
): SampleRequest {
  const operation = contract.paths[path]![method]!;
  const parameters = (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : contract.components.parameters[one.$ref.split("/").at(-1)!]!
  );
  const values = (place: string) =>
    parameters.filter((one) => one.in === place && one.example !== undefined).map((
      { name, example },
    ) => [name, example]);
  const pathValues: Record<string, unknown> = Object.fromEntries(values("path"));
  const query: Record<string, unknown> = Object.fromEntries(values("query"));
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(pathValues[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const body = operation.requestBody?.content["application/json"]?.example;
  // An empty list: no operation of this kind reads a token. An empty object in it: the token is optional.
  const { security = contract.security } = operation;
  const needsToken = security.length > 0 && security.every((one) => Object.keys(one).length > 0);
  return {
    method: method.toUpperCase(),
    path,
    url: `${base}${address}${search.size > 0 ? `?${search}` : ""}`,
    pathValues,
    query,
    headers: {
      ...needsToken ? { Authorization: "Bearer " } : {},
      ...isVaried(operation) ? { Accept: "application/json" } : {},
      ...body === undefined ? {} : { "Content-Type": "application/json" },
    },
    body,
    needsToken,
  };
}

/** Whether a response has several media types: the request then names the one it wants. */
function isVaried({ responses }: Operation): boolean {
  return Object.values(responses).some((response) => response["x-representations"] !== undefined);
}

export function codeSamples(contract: Contract, path: string, method: string, base: string): Sample[] {
  const request = sampleRequest(contract, path, method, base);
  const { parameters = [] } = contract.paths[path]![method]!;
  const asJson = new Set(
    parameters.filter(({ schema }) => schema?.contentSchema !== undefined).map(({ name }) => name),
  );
  return [
    { lang: "TypeScript", label: "Typed client", source: typedClient(request, base, asJson) },
    { lang: "Shell", label: "curl", source: curl(request) },
    { lang: "Swift", label: "Swift", source: swift(request) },
    { lang: "Kotlin", label: "Kotlin", source: kotlin(request) },
  ];
}

function typedClient(request: SampleRequest, base: string, asJson: ReadonlySet<string>): string {
  const { method, path, pathValues, query, headers, body, needsToken } = request;
  const literal = (name: string, value: unknown) => inline(asJson.has(name) ? JSON.parse(String(value)) : value);
  const record = (values: Readonly<Record<string, unknown>>) =>
    `{ ${Object.entries(values).map(([name, value]) => `${key(name)}: ${literal(name, value)}`).join(", ")} }`;
  const parts = [
    ...Object.keys(pathValues).length > 0 ? [`path: ${record(pathValues)}`] : [],
    ...Object.keys(query).length > 0 ? [`query: ${record(query)}`] : [],
  ];
  const options = [
    ...parts.length > 0 ? [`  params: { ${parts.join(", ")} },`] : [],
    ...headers["Accept"] === undefined ? [] : [`  headers: { Accept: ${JSON.stringify(headers["Accept"])} },`],
    ...body === undefined ? [] : [`  body: ${script(body).replaceAll("\n", "\n  ")},`],
  ];
  const given = [`url: ${JSON.stringify(base)}`, ...needsToken ? ["accessToken: token"] : []].join(", ");
  const call = options.length === 0 ? "" : `, {\n${options.join("\n")}\n}`;
  return `import { createParkingClient } from "parking-lot-client";

const client = createParkingClient({ ${given} });
const { data } = await client.${method}(${JSON.stringify(path)}${call});
console.log(data);
`;
}

/** A JSON value as JavaScript. */
function script(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, "$1$2:");
}

const inline = (value: unknown) => script(value).replaceAll(/\n */g, " ");

const key = (name: string) => /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);

function curl({ method, url, headers, body }: SampleRequest): string {
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) =>
      name === "Authorization" ? `  -H "${name}: ${value}${TOKEN.shell}"` : `  -H ${quoted(`${name}: ${value}`)}`
    ),
    ...body === undefined ? [] : [`  --data ${quoted(JSON.stringify(body, null, 2))}`],
  ];
  return `${lines.join(" \\\n")}\n`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The body is a raw text: JSON never has three quotes in a row. */
function swift({ method, url, headers, body }: SampleRequest): string {
  const text = JSON.stringify(body, null, 2);
  return `import Foundation

var request = URLRequest(url: URL(string: ${JSON.stringify(url)})!)
request.httpMethod = "${method}"
${
    Object.entries(headers).map(([name, value]) =>
      `request.setValue("${value}${name === "Authorization" ? TOKEN.swift : ""}", forHTTPHeaderField: "${name}")\n`
    ).join("")
  }${body === undefined ? "" : `request.httpBody = Data(#"""\n${text}\n"""#.utf8)\n`}
let (data, response) = try await URLSession.shared.data(for: request)
print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
`;
}

function kotlin({ method, url, headers, body }: SampleRequest): string {
  // In Kotlin a dollar sign in a text begins a value.
  const text = body === undefined ? undefined : JSON.stringify(body, null, 2).replaceAll("$", "${'$'}");
  const content = text === undefined
    ? method === "GET" || method === "DELETE" ? "null" : "ByteArray(0).toRequestBody()"
    : `"""${text}""".toRequestBody("application/json".toMediaType())`;
  return `import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody

val request = Request.Builder()
    .url(${JSON.stringify(url).replaceAll("$", "\\$")})
${
    Object.entries(headers).filter(([name]) => name !== "Content-Type").map(([name, value]) =>
      `    .header("${name}", "${value}${name === "Authorization" ? TOKEN.kotlin : ""}")\n`
    ).join("")
  }    .method("${method}", ${content})
    .build()
OkHttpClient().newCall(request).execute().use { response ->
    println("\${response.code} \${response.body?.string()}")
}
`;
}

/** The contract with the samples of each operation, and with optional headers that are not sent unless a reader wants them. */
export function withSamples<Document extends Contract>(contract: Document, base: string): Document {
  const paths = Object.fromEntries(
    Object.entries(contract.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, {
          ...operation,
          ...(operation.parameters ? { parameters: operation.parameters.map(switchedOff) } : {}),
          "x-codeSamples": codeSamples(contract, path, method, base),
        }]),
      ),
    ]),
  );
  const parameters = Object.fromEntries(
    Object.entries(contract.components.parameters).map(([name, parameter]) => [name, switchedOff(parameter)]),
  );
  return { ...contract, paths, components: { ...contract.components, parameters } };
}

/** An example of an optional header is shown and not sent. */
function switchedOff(parameter: Parameter): unknown {
  const { example, ...rest } = parameter;
  if (parameter.in !== "header" || parameter.required || example === undefined) return parameter;
  return { ...rest, examples: { default: { value: example, "x-disabled": true } } };
}

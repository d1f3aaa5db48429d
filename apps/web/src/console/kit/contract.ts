/** The service's own contract: the forms of the console are made from the schemas of its requests. */
import type { PathOf } from "parking-lot-client";
import { client } from "./access.ts";
import { type Model, modelOf, type Schema } from "./schema.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";
type OperationOf<M extends Method> = `${Uppercase<M>} ${PathOf<M>}`;
/** An operation by its method and path, for example `POST /v1/admin/articles`. */
export type Operation = { [M in Method]: OperationOf<M> }[Method];

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: Body }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

let contract: Promise<Contract> | undefined;

/** Reads the contract once. A read that failed is tried again by the next form. */
function readContract(): Promise<Contract> {
  contract ??= client.GET("/v1/openapi").then(
    ({ data }) => data as unknown as Contract,
    (error: unknown) => {
      contract = undefined;
      throw error;
    },
  );
  return contract;
}

/** The fields of an operation's request. */
export async function readRequest(operation: Operation): Promise<Model> {
  const { paths, components } = await readContract();
  const [method = "", path = ""] = operation.split(" ");
  const schema = paths[path]?.[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema;
  if (schema === undefined) throw new Error(`The contract has no JSON request for ${operation}.`);
  return modelOf(schema, (name) => components.schemas[name]);
}

export interface CallInit {
  /** The values of the placeholders of the path. */
  readonly path?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** Sends a request whose operation is a value. The types of its fields are not known here: the service checks them. */
export async function call<Data = unknown>(
  operation: Operation,
  { path, header, ...init }: CallInit = {},
): Promise<{ data: Data; response: Response }> {
  const [method = "", address = ""] = operation.split(" ");
  const send = client[method as Uppercase<Method>] as unknown as (
    path: string,
    init: object,
  ) => Promise<{ data: Data; response: Response }>;
  return await send(address, { ...init, params: { ...(path ? { path } : {}), ...(header ? { header } : {}) } });
}

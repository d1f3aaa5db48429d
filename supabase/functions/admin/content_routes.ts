// The routes of a resource that administrators write: its list, and creating, reading, changing and deleting a row.
import type { z } from "zod";
import type { AnyDatabase, ApiFunction } from "../_shared/db/client.ts";
import type { ApiFunctions } from "../_shared/db/api_types.ts";
import type { Code } from "../_shared/errors.ts";
import type { Links } from "../_shared/http/links.ts";
import { type AdminArea, type Definition, type HandlerContext, type Route, route } from "../_shared/http/route.ts";
import type { ProviderName } from "../_shared/providers/providers.ts";
import { Nothing } from "../_shared/schema/values.ts";

/** What an operation has of its own: its function in the database, its sentences, its errors. */
interface Operation<C extends ApiFunction> {
  readonly calls: C;
  readonly summary: string;
  readonly description?: string;
  /** Without not_found and the codes of the router. */
  readonly errors?: readonly Code[];
}

type Fields = z.ZodObject;
type Context<B = unknown> = HandlerContext<"admin", unknown, unknown, B, ApiFunction, ProviderName>;

/** What is checked before a row is written, for example an upload that it refers to. */
interface Precheck<B> {
  readonly calls: readonly ApiFunction[];
  readonly uses: readonly ProviderName[];
  run(context: Context<B>): Promise<void>;
}

/** `isVersioned` false: the function has no `if_match`. */
type Removal = Operation<ApiFunction> & { readonly isVersioned?: false };

interface Content<
  Stored,
  Item extends z.ZodType,
  Changes extends Fields,
  C extends ApiFunction,
  R extends Removal | undefined,
> {
  readonly path: `/admin/${string}`;
  readonly area: AdminArea;
  /** The parameters that name a row, in the order of the path. */
  readonly params: Fields;
  readonly item: Item;
  readonly list: Operation<ApiFunction> & { readonly query: Fields; readonly page: z.ZodType };
  /** `as` is the function's argument for the body. */
  readonly create: Operation<C> & {
    readonly body: Fields;
    readonly as: Exclude<keyof ApiFunctions[C]["args"], "admin_id">;
  };
  readonly read: Operation<ApiFunction>;
  readonly change: Operation<ApiFunction> & { readonly body: Changes };
  /** Absent: a row is never deleted. */
  readonly remove?: R;
  /** A row of the database as clients get it. Absent: unchanged. */
  readonly show?: (stored: Stored, links: Links) => z.input<Item>;
  readonly precheck?: Precheck<z.output<Changes>>;
}

type Routes<R> = Readonly<
  Record<"list" | "create" | "read" | "change" | (R extends Removal ? "remove" : never), Route>
>;

type AnyDefinition = Definition<
  "admin",
  z.ZodType,
  Fields | undefined,
  Fields | undefined,
  Fields | undefined,
  ApiFunction,
  ProviderName
>;
type Args = (input: Pick<Context<unknown>, "params" | "query" | "body" | "ifMatch">) => Record<string, unknown>;

export function contentRoutes<
  Item extends z.ZodType,
  Changes extends Fields,
  C extends ApiFunction,
  Stored = unknown,
  R extends Removal | undefined = undefined,
>(content: Content<Stored, Item, Changes, C, R>): Routes<R> {
  const { path, area, params, item, list, create, read, change, remove, show, precheck } = content;
  const rowPath: AnyDefinition["path"] = `${path}/${Object.keys(params.shape).map((name) => `{${name}}`).join("/")}`;
  const shownPage = show &&
    ((page: { items: readonly Stored[] }, links: Links) => ({
      ...page,
      items: page.items.map((row) => show(row, links)),
    }));

  /** A route of the resource that calls one function, after the check and before the row is shown, where there are such. */
  function operation<Returned>(
    { calls, summary, description, errors = [] }: Operation<ApiFunction>,
    form: Pick<AnyDefinition, "method" | "path" | "reply"> & Partial<AnyDefinition>,
    { args, check, show }: {
      args?: Args;
      check?: Precheck<z.output<Changes>> | undefined;
      show?: ((returned: Returned, links: Links) => unknown) | undefined;
    } = {},
  ): Route {
    const handle = async (context: Context<z.output<Changes>>) => {
      await check?.run(context);
      const given = args?.(context) ?? { ...context.params as object, ...context.query as object };
      const returned = await (context.db as unknown as AnyDatabase).rpc<Returned>(calls, given);
      return show ? show(returned, context.links) : returned;
    };
    return route({
      access: "admin",
      area,
      summary,
      ...description === undefined ? {} : { description },
      ...form,
      errors: [...form.params ? ["not_found" as const] : [], ...errors],
      calls: check ? [calls, ...check.calls] : calls,
      ...check && { uses: check.uses },
      ...check || show ? { handle } : args && { args },
    } as AnyDefinition);
  }

  const row = { path: rowPath, params, isVersioned: true } as const;
  return {
    list: operation(list, { method: "GET", path, query: list.query, reply: [200, list.page] }, { show: shownPage }),
    create: operation(create, { method: "POST", path, body: create.body, reply: [201, item] }, {
      args: ({ body }) => ({ [create.as]: body }),
      check: precheck,
      show,
    }),
    read: operation(read, { method: "GET", ...row, reply: [200, item] }, { show }),
    change: operation(change, { method: "PATCH", ...row, body: change.body, reply: [200, item] }, {
      args: ({ params, body, ifMatch }) => ({ ...params as object, changes: body, if_match: ifMatch }),
      check: precheck,
      show,
    }),
    ...remove && {
      remove: operation(remove, {
        method: "DELETE",
        ...row,
        isVersioned: remove.isVersioned ?? true,
        reply: [204, Nothing],
      }),
    },
  } as Routes<R>;
}

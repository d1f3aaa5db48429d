// Sends requests by the name of their operation, and keeps the first request and response of each as its example.
import assert from "node:assert/strict";
import { LINES_TYPE } from "../../supabase/functions/_shared/http/reply.ts";
import type { NamedRoute } from "../../supabase/functions/_shared/http/route.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { stack } from "../support/stack.ts";

// deno-lint-ignore no-explicit-any -- replies of many routes, which are compared with the schemas of the routes
export type Reply = any;

export interface Sent {
  /** The access token. */
  readonly as?: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Recorded {
  readonly params?: Sent["params"];
  readonly query?: Sent["query"];
  readonly body?: Sent["body"];
  readonly reply?: Reply;
}

export const routes: ReadonlyMap<string, NamedRoute> = new Map(
  groups.flatMap(({ routes }) => routes).map((route) => [route.name, route]),
);

/** The path and query string of a request. */
export function addressOf(route: NamedRoute, { params = {}, query = {} }: Recorded): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!));
  const text = (value: unknown) =>
    Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value);
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, text(value)]));
  return search.size > 0 ? `${path}?${search}` : path;
}

/** What a route accepts, by its own schemas; throws for anything else. */
export function assertRequest(route: NamedRoute, { params, query, body }: Sent | Recorded): void {
  for (const [part, value] of Object.entries({ params, query, body })) {
    const schema = route[part as "params" | "query" | "body"];
    if (schema === undefined) {
      assert.equal(value, undefined, `${route.name} has no ${part}`);
    } else if (part !== "body" || value !== undefined || !route.isBodyOptional) {
      const { error } = schema.safeParse(value ?? {});
      assert.equal(error, undefined, `${route.name} ${part}: ${error?.message}`);
    }
  }
}

/** What a route returns, with every field named by its schema. */
export function assertReply({ name, reply: [status, schema] }: NamedRoute, reply: unknown): void {
  if (status === 204) return assert.equal(reply, undefined, `${name} has no reply`);
  const { data, error } = schema.safeParse(reply);
  assert.equal(error, undefined, `${name} reply: ${error?.message}`);
  assert.deepEqual(data, reply, `${name}: the reply has fields that its schema does not name`);
}

/** One request and its response, with the times between which they were. */
export interface Exchange extends Recorded {
  readonly name: string;
  readonly chapter: number;
  readonly beganAt: number;
}

export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly startedAt = Date.now();
  #chapter = 0;

  /** Begins a part of the walk. Its times do not depend on the number of requests before it. */
  chapter(): void {
    this.#chapter++;
  }

  /** The operations that have no example yet. */
  missing(): string[] {
    const seen = new Set(this.exchanges.map(({ name }) => name));
    return [...routes.keys()].filter((name) => !seen.has(name));
  }

  /** Sends a request that must succeed. The first of each operation becomes its example. */
  async send(name: string, sent: Sent = {}): Promise<Reply> {
    const route = routes.get(name);
    assert.ok(route, `there is no operation ${name}`);
    assertRequest(route, sent);
    const headers = new Headers({ accept: "application/json", apikey: stack().publishableKey, ...sent.headers });
    if (sent.as !== undefined) headers.set("authorization", `Bearer ${sent.as}`);
    if (sent.body !== undefined) headers.set("content-type", "application/json");
    const beganAt = Date.now();
    const response = await fetch(stack().functionsUrl + addressOf(route, sent), {
      method: route.method,
      headers,
      body: sent.body === undefined ? null : JSON.stringify(sent.body),
    });
    const text = await response.text();
    const type = response.headers.get("content-type");
    assert.ok([route.reply[0], route.alternateStatus].includes(response.status), `${name}: ${response.status} ${text}`);
    assert.notEqual(type, LINES_TYPE);
    const reply = text === "" ? undefined : JSON.parse(text);
    if (!route.isStreamed) assertReply(route, reply);
    if (response.status === route.reply[0] && !this.exchanges.some((exchange) => exchange.name === name)) {
      const { params, query, body } = sent;
      const recorded = Object.entries({ params, query, body, reply }).filter(([, value]) => value !== undefined);
      this.exchanges.push({ name, chapter: this.#chapter, beganAt, ...Object.fromEntries(recorded) });
    }
    return reply;
  }
}

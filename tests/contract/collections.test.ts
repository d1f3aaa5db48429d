// Every collection is paged the same way: limit, cursor and include=total in the query; items, next_cursor and total in the reply.
import assert from "node:assert/strict";
import type { z } from "zod";
import { NextCursor, PageQuery } from "../../supabase/functions/_shared/schema/lists.ts";
import type { Route } from "../../supabase/functions/_shared/http/route.ts";

const folder = new URL("../../supabase/functions/", import.meta.url);
const routes = (await Promise.all(
  [...Deno.readDirSync(folder)]
    .filter(({ isDirectory, name }) => isDirectory && !name.startsWith("_"))
    .map(async ({ name }) => (await import(`${folder}${name}/routes.ts`)).routes as Route[]),
)).flat();

const shapeOf = (schema: z.ZodType): Record<string, z.ZodType> => (schema as z.ZodObject).shape ?? {};
// A streamed document has the members of another system's format.
const collections = routes.filter(({ method, reply, isStreamed }) =>
  method === "GET" && !isStreamed && "items" in shapeOf(reply[1]) && "next_cursor" in shapeOf(reply[1])
);

Deno.test("collections: there are collections", () => assert.ok(collections.length >= 20, String(collections.length)));

for (const { path, query, reply } of collections) {
  Deno.test(`collections: ${path}: takes limit (1..100, default 20), cursor and include=total, and its reply may have total`, () => {
    const shape = shapeOf(query!);
    for (const name of ["limit", "cursor", "include"]) assert.ok(shape[name], name);
    const { limit, cursor, include } = shape as Record<string, z.ZodType>;
    assert.equal(limit, PageQuery.shape.limit);
    assert.equal(cursor, PageQuery.shape.cursor);
    assert.equal(shapeOf(reply[1])["next_cursor"], NextCursor);
    assert.equal(limit!.parse(undefined), 20);
    for (const [value, fits] of [[0, false], [1, true], [100, true], [101, false]] as const) {
      assert.equal(limit!.safeParse(value).success, fits, `limit=${value}`);
    }
    assert.ok(cursor!.safeParse("abc").success);
    assert.ok(include!.safeParse(["total"]).success);
    assert.ok(shapeOf(reply[1])["total"], "the reply has no total");
    assert.ok(shapeOf(reply[1])["next_cursor"]!.safeParse("abc").success, "next_cursor is always null");
  });
}

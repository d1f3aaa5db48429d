// What a route says it calls and uses is all that its handler can reach. The checks are the compiler's: a line that should
// not compile and does fails `deno check`.
import assert from "node:assert/strict";
import { z } from "zod";
import { route } from "../../supabase/functions/_shared/http/route.ts";

const common = {
  method: "GET",
  path: "/things",
  access: "public",
  summary: "Things",
  reply: [200, z.unknown()],
  errors: [],
} as const;

Deno.test("routes: a handler calls the functions that its route names, with their arguments, and no others", () => {
  route({
    ...common,
    calls: ["list_tags", "list_codes"],
    handle: async ({ db }) => {
      await db.rpc("list_codes", { lang: "ja" });
      // @ts-expect-error: not in `calls`
      await db.rpc("list_ads");
      // @ts-expect-error: no such argument
      await db.rpc("list_codes", { language: "ja" });
      // @ts-expect-error: of another type
      await db.rpc("list_tags", { limit: "ten" });
      return null;
    },
  });
  // @ts-expect-error: no such function
  route({ ...common, calls: "list_things" });
  // @ts-expect-error: an argument that the function does not have
  route({ ...common, calls: "list_codes", args: () => ({ language: "ja" }) });
});

Deno.test("routes: a handler reaches the providers that its route uses, and no others", () => {
  route({
    ...common,
    uses: ["mail"],
    handle: (context) => {
      // @ts-expect-error: not in `uses`
      void context.push;
      return context.mail.isAvailable;
    },
  });
});

Deno.test("routes: one without a handler calls exactly one function", () => {
  assert.throws(() => route(common), /it calls one function or has a handler/);
  assert.throws(
    () => route({ ...common, calls: ["list_tags", "list_codes"] }),
    /it calls one function or has a handler/,
  );
  const both = { ...common, calls: "list_codes", args: () => ({ lang: "ja" }), handle: () => null } as const;
  assert.throws(() => route(both), /its handler calls the database itself/);
});

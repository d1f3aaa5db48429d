// client/: the types accept requests of the contract and reject mistakes. `deno check` is the test; the requests are not sent.
import { ApiError, type components, createParkingClient, type ErrorCode } from "../../client/src/index.ts";

type Schemas = components["schemas"];
const client = createParkingClient({ url: "http://127.0.0.1:9/functions" });
const id = "555c77e1-60d8-4123-9321-94515af67cff";
const is = <T>(_value: T) => {};

export async function accepted() {
  const fee = await client.POST("/v1/parking-lots/{id}/calc-fee", {
    params: { path: { id } },
    body: { entry_at: "2026-11-25T10:00:00+09:00", exit_at: "2026-11-25T11:30:00+09:00" },
  });
  is<number>(fee.data.total_amount);
  const lot = await client.GET("/v1/parking-lots/{id}", { params: { path: { id } } });
  is<string | null>(lot.data.name);
  const header = { "If-None-Match": '"1"' };
  const again = await client.GET("/v1/parking-lots/{id}", { params: { path: { id }, header } });
  is<string | null | undefined>(again.data?.name);
  const none = await client.DELETE("/v1/me/vehicles/{id}", { params: { path: { id } } });
  is<undefined>(none.data);
  is<Schemas["Me"]>((await client.GET("/v1/me")).data);
  for await (const vehicle of client.pages("/v1/me/vehicles")) is<Schemas["Vehicle"]>(vehicle);
  for await (const lot of client.stream("/v1/parking-lots")) {
    is<string | null>("next_cursor" in lot ? lot.next_cursor : "deleted" in lot ? lot.at : lot.name);
  }
  const vehicle = { height_m: 1.9 };
  const near = { lat: 35, lng: 139, vehicle, filters: { max_height_m: 2, tags: ["covered" as const] } };
  await client.GET("/v1/parking-lots/nearby", { params: { query: near } });
  const found = { center: { lat: 35, lng: 139 }, query: { v: 1, attributes: ["covered" as const] } };
  await client.GET("/v1/parking-lots", { params: { query: found } });
  is<string>(await client.upload(new Blob([]), { file_name: "a.png", category: "review" }));
}

export async function rejected() {
  // @ts-expect-error no such path
  await client.GET("/v1/parking-lot");
  // @ts-expect-error no such method
  await client.PATCH("/v1/parking-lots/nearby");
  // @ts-expect-error no such parameter
  await client.GET("/v1/parking-lots/nearby", { params: { query: { lat: 35, lng: 139, colour: "red" } } });
  // @ts-expect-error an object, not its JSON
  await client.GET("/v1/parking-lots/nearby", { params: { query: { lat: 35, lng: 139, filters: "{}" } } });
  // @ts-expect-error no such filter
  await client.GET("/v1/parking-lots/nearby", { params: { query: { lat: 35, lng: 139, filters: { colour: "red" } } } });
  // @ts-expect-error the parameters are required
  await client.GET("/v1/parking-lots/nearby");
  // @ts-expect-error a field of the body is missing
  await client.POST("/v1/parking-sessions", { body: {} });
  const header = { "If-None-Match": '"1"' };
  const { data } = await client.GET("/v1/parking-lots/{id}", { params: { path: { id }, header } });
  // @ts-expect-error undefined after 304
  is<string | null>(data.name);
  // @ts-expect-error not a list with a cursor
  client.pages("/v1/me");
  // @ts-expect-error no NDJSON
  client.stream("/v1/me/vehicles");
  // @ts-expect-error no such category
  await client.upload(new Blob([]), { file_name: "a.png", category: "holiday" });
}

export function narrowed(error: unknown) {
  if (!(error instanceof ApiError)) return;
  is<ErrorCode>(error.code);
  if (error.code === "concurrent_session_not_allowed") is<string>(error.details.session_id);
  if (error.code === "rate_limited") is<number>(error.details.retry_after);
  if (error.code === "fee_unknown") {
    is<"no_rules" | "no_rate" | "only_totals" | "vehicle_type_not_priced">(error.details.reason);
  }
  if (error.code === "conflict" && error.details?.reason === "already_reviewed") is<"conflict">(error.code);
  // @ts-expect-error not a reason of this code
  if (error.code === "conflict" && error.details?.reason === "no_rules") is(error);
  // @ts-expect-error only some codes have a session
  is<string>(error.details.session_id);
}

Deno.test("client types: requests of the contract are accepted, mistakes are rejected", () => {
  // The type checker has read this file before the test runs.
});

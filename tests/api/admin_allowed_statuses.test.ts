// The statuses that an entry of the console allows: a decision that is listed takes effect, and any other one is a conflict.
import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { makeVoters } from "../support/rows.ts";
import { anAdministrator, assertErrorDetails, sending } from "./administrators.ts";
import { ask, bearer, jsonBody } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

const administrator = await anAdministrator("reviews", "lots", "support", "users", "notifications");

interface Entry {
  readonly status?: string;
  readonly state?: string;
  readonly allowed_statuses?: readonly string[];
  readonly allowed_states?: readonly string[];
  readonly updated_at: string;
}

interface Resource {
  readonly path: string;
  /** Makes an entry in its first status, and returns its id. */
  create(): Promise<string>;
  /** The request that gives an entry a status. */
  decide(address: string, status: string, entry: Entry): Promise<Response>;
  /** What administrators can choose. */
  readonly statuses: readonly string[];
  /** For each way of an entry: all that it allows in one status after another. The decision that was made is the first. */
  readonly ways: readonly (readonly (readonly string[])[])[];
}

const post = async (path: string, body: unknown): Promise<string> => {
  const reply = await ask(path, { method: "POST", ...jsonBody(body, bearer((await signUp()).token)) });
  assert.equal(reply.status, 201);
  return (await reply.json()).id;
};

const decideSeen = (address: string, status: string, { updated_at: seen_updated_at }: Entry) =>
  administrator.ask(address, sending("PATCH", { status, seen_updated_at }));

const RESOURCES: readonly Resource[] = [
  {
    path: "/admin/reviews",
    create: async () => await post(`/parking-lots/${await aLot()}/reviews`, { rating: 4, comment: "Narrow" }),
    decide: decideSeen,
    statuses: ["approved", "rejected", "hidden"],
    ways: [[["approved", "rejected"], ["hidden"], ["approved"], ["hidden"]], [["rejected", "approved"], []]],
  },
  {
    path: "/admin/error-reports",
    create: async () =>
      await post("/error-reports", {
        report_type: "vehicle_limits",
        description: "It is lower",
        parking_lot_id: await aLot(),
      }),
    decide: decideSeen,
    statuses: ["in_review", "resolved", "rejected"],
    ways: [[["in_review"], ["resolved", "rejected"], []], [["in_review"], ["rejected", "resolved"], []]],
  },
  {
    path: "/admin/support-tickets",
    create: () => post("/support/tickets", { category: "other", subject: "Question", message: "How?" }),
    decide: (address, status, entry) =>
      status === "closed" ? decideSeen(address, status, entry) : administrator.ask(
        `${address}/messages`,
        sending("POST", { message: "So.", seen_updated_at: entry.updated_at }),
      ),
    statuses: ["answered", "closed"],
    ways: [[["answered"], ["closed"], []]],
  },
  {
    path: "/admin/users",
    create: async () => (await signUp()).id,
    decide: (address, status) =>
      administrator.ask(
        `${address}/${status === "active" ? "reactivate" : "suspend"}`,
        sending("POST", { reason: "Spam" }),
      ),
    statuses: ["active", "suspended"],
    ways: [[["suspended", "withdrawn"], ["active", "withdrawn"], ["suspended", "withdrawn"]]],
  },
  {
    path: "/admin/user-notifications",
    create: async () => {
      const body = { type: "announcement", title: "題名", body: "本文", target: "user", user_id: (await signUp()).id };
      const reply = await administrator.ask("/admin/user-notifications", sending("POST", body));
      assert.equal(reply.status, 201);
      return (await reply.json()).id;
    },
    decide: (address, status) =>
      status === "scheduled"
        ? administrator.ask(address, sending("PATCH", { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }))
        : administrator.ask(`${address}/${status === "sending" ? "send" : "cancel"}`, sending("POST")),
    statuses: ["scheduled", "sending", "cancelled"],
    ways: [
      [["cancelled", "scheduled", "sending"], []],
      [["scheduled", "cancelled", "sending"], ["cancelled", "sending"], []],
    ],
  },
  {
    path: "/admin/field-values",
    create: async () => {
      const [lot, voter] = [await aLot({ max_height_m: 2.5 }), await signUp()];
      const [value] = await inDatabase(async (sql) => {
        await makeVoters(sql, [voter.id]);
        return await sql<{ id: string }[]>`
          select id from private.current_field_values(${lot}) where field_name = 'max_height_m'`;
      });
      // A retired value without a vote is deleted.
      const vote = `/parking-lots/${lot}/field-values/${value!.id}/deny`;
      assert.equal((await ask(vote, { method: "POST", headers: bearer(voter.token) })).status, 200);
      return value!.id;
    },
    decide: (address, state) => administrator.ask(address, sending("PATCH", { state })),
    statuses: ["confirmed", "retired"],
    ways: [[["confirmed", "retired"], ["retired", "confirmed"], []]],
  },
];

for (const { path, create, decide, statuses, ways } of RESOURCES) {
  Deno.test(`${path}: a status that the entry allows is accepted, and any other one is 409 conflict`, async () => {
    for (const way of ways) {
      const address = `${path}/${await create()}`;
      const read = async (): Promise<Entry> => {
        const reply = await administrator.ask(address);
        assert.equal(reply.status, 200, await reply.clone().text());
        return await reply.json();
      };
      for (const [index, allowed] of way.entries()) {
        const entry = await read();
        const current = entry.status ?? entry.state;
        assert.deepEqual((entry.allowed_statuses ?? entry.allowed_states)!.toSorted(), allowed.toSorted(), current);
        for (const other of statuses.filter((status) => !allowed.includes(status) && status !== current)) {
          await assertErrorDetails(await decide(address, other, entry), "conflict", entry.state ? "state" : "status");
        }
        if (index === way.length - 1) continue;
        const reply = await decide(address, allowed[0]!, entry);
        assert.ok(reply.ok, `${allowed[0]}: ${await reply.text()}`);
      }
    }
  });
}

// local/postgres/driver_faults.ts, with the driver as it is installed here.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import postgres from "postgres";
import { fromDriver, surviveDriverFaults } from "../../local/postgres/driver_faults.ts";
import { eventually } from "../support/eventually.ts";

Deno.test("local platform: an error that the driver throws outside of every call does not end the process", async () => {
  const lines: string[] = [];
  surviveDriverFaults((line) => lines.push(line));
  // A socket that cannot write: the driver finds out after the call that began it.
  const socket = Object.assign(new EventEmitter(), { destroy: () => {} });
  const sql = postgres({ socket: () => socket } as unknown as postgres.Options<Record<never, never>>);
  sql`select 1`.catch(() => {});
  assert.match(
    await eventually(() => lines[0]),
    /^The database driver used a connection that was lost: socket\.write is not a function$/,
  );
  sql.end({ timeout: 0 }).catch(() => {});
});

Deno.test("local platform: frames of the driver are known in a folder of packages and in Deno's cache, others are not", () => {
  const thrownAt = (place: string) =>
    Object.assign(new TypeError("no socket"), { stack: `TypeError\n    at ${place}` });
  for (
    const place of [
      "nextWrite (file:///cache/npm/host/postgres/3.4.9/src/connection.js:255:22)",
      "nextWrite (file:///app/node_modules/.deno/postgres@3.4.9/node_modules/postgres/src/connection.js:255:22)",
    ]
  ) assert.ok(fromDriver(thrownAt(place)), place);
  assert.ok(!fromDriver(thrownAt("file:///app/local/postgres/connection.js:1:1")));
});

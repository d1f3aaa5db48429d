// Whether a vehicle fits: never on a guess, and with the measures that speak against it.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Measures = Record<string, number | null>;
interface Fit {
  readonly fits: boolean | null;
  readonly failing: string[];
  readonly unknown: string[];
  readonly limits: Measures;
}

/** The fit of a vehicle with a lot of these limits, through the interface of search. */
async function fit(vehicle: Measures | null, limits: Measures): Promise<Fit | null> {
  const [row] = await db.as({ role: "anon" }, (sql) =>
    sql<{ fit: Fit | null }[]>`
    select private.vehicle_fit(
      private.read_vehicle(${JSON.stringify(vehicle)}::text::jsonb),
      jsonb_populate_record(null::private.vehicle, ${JSON.stringify(limits)}::text::jsonb)
    ) as fit`);
  return row!.fit;
}

const ALL = { height_m: 2, width_m: 1.9, length_m: 5, weight_t: 2.5, clearance_cm: 15, tire_width_mm: 200 };

Deno.test("vehicle fit: a vehicle within every known limit fits, also when it is exactly at the limit", async () => {
  const { fits, failing, unknown, limits } = (await fit(ALL, ALL))!;
  assert.deepEqual({ fits, failing, unknown, limits }, { fits: true, failing: [], unknown: [], limits: ALL });
});

for (const [measure, limit] of Object.entries(ALL)) {
  // The ground clearance is the one measure of which a lot wants enough.
  const beyond = measure === "clearance_cm" ? limit - 1 : limit + 1;
  const within = measure === "clearance_cm" ? limit + 1 : limit - 1;

  Deno.test(`vehicle fit: a vehicle whose ${measure} is beyond the limit does not fit, and ${measure} is named`, async () => {
    assert.deepEqual(await fit({ ...ALL, [measure]: beyond }, ALL), {
      fits: false,
      failing: [measure],
      unknown: [],
      limits: ALL,
    });
    assert.equal((await fit({ [measure]: within === 0 ? limit : within }, ALL))!.fits, true);
  });

  Deno.test(`vehicle fit: a limit of ${measure} that is unknown is never a fit`, async () => {
    const limits = { ...ALL, [measure]: null };
    assert.deepEqual(await fit(ALL, limits), { fits: null, failing: [], unknown: [measure], limits });
  });
}

Deno.test("vehicle fit: one exceeded limit decides, for any number of unknown ones", async () => {
  const answer = await fit({ height_m: 2.3, width_m: 1.8 }, { height_m: 2.1 });
  assert.deepEqual(answer, {
    fits: false,
    failing: ["height_m"],
    unknown: ["width_m"],
    limits: { height_m: 2.1, width_m: null },
  });
});

Deno.test("vehicle fit: only the given measures are checked; without any the result is null", async () => {
  assert.deepEqual(await fit({ height_m: 1.5, width_m: null }, ALL), {
    fits: true,
    failing: [],
    unknown: [],
    limits: { height_m: 2 },
  });
  assert.equal(await fit({}, ALL), null);
  assert.equal(await fit({ height_m: null }, ALL), null);
  assert.equal(await fit(null, ALL), null);
});

// The contract has a component for each resource of the specification, under its name, so that generated clients have its type.
import assert from "node:assert/strict";
import { contract } from "../../supabase/functions/openapi/contract.ts";

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly pattern?: string;
}

const schemas = JSON.parse(JSON.stringify(contract())).components.schemas as Record<string, Schema>;

/** The types that a schema allows, those of a component by its name. */
function types(schema: Schema | undefined): string[] {
  return [schema?.type ?? [], schema?.$ref ?? [], (schema?.anyOf ?? []).flatMap(types)].flat();
}

/** Every resource, request and response that the specification names among its resources and endpoints. */
const specified = `
  AdminUserSearchPreset MySubscription NearbyParkingLotWithRanking RefreshIapRequest VerifyIapRequest VerifyIapResponse
  Me MeUpdate SavedParkingLot ParkingLotRating UserVehicle SearchQueryV1 SearchPreset SearchPreferences
  SearchPreferencesUpdate ParkingSession ParkingSessionDetail SessionPhoto ReviewStatus MyReview PublicReview
  UserNotification NotifType NotifPrefItem UserPushToken MyExp MyBadge MyBadgeProgress ThemeListItem MyTheme
  SubscriptionPlan MeErrorReport ParkingLot NearbyParkingLot PricingRule
  ParkingLotDetailImage ParkingLotTag ParkingLotDetailOperator ParkingLotFieldValueIds ParkingLotPublicSpot
  ParkingLotPublicPricingGroup ParkingLotWithDetail CodeRow CodesResponse AppleAppSiteAssociation AssetLinksResponse`;
for (const name of specified.trim().split(/\s+/)) {
  Deno.test(`components: the contract has the component ${name}`, () => assert.ok(schemas[name]));
}

/** What the specification says is always there. */
const required = ["id", "name", "address", "lat", "lng", "total_spaces", "status", "structure", "created_at"];

const families: [base: string, member: string, without: string[]][] = [
  ["ParkingLot", "FoundParkingLot", ["area"]],
  ["ParkingLot", "ParkingLotWithDetail", []],
  ["NearbyParkingLot", "NearbyParkingLotWithRanking", []],
];
for (const [base, member, without] of families) {
  Deno.test(`components: ${member} has the fields of ${base}, of types that fit`, () => {
    const fields = Object.entries(schemas[base]!.properties!).filter(([name]) => !without.includes(name));
    for (const [name, wanted] of fields) {
      const given = schemas[member]!.properties![name];
      assert.ok(given, name);
      assert.ok(types(given).every((type) => types(wanted).includes(type)), `${name}: ${types(given)}`);
    }
    for (const name of schemas[base]!.required!) assert.ok(schemas[member]!.required!.includes(name), name);
  });
}

Deno.test("components: ParkingLot requires what the specification requires", () => {
  assert.deepEqual([...schemas["ParkingLot"]!.required!].sort(), required.toSorted());
});

/** Every field that is a time of day, wherever a component has one. */
function timesOfDay(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const wrong: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    const at = `${path}.${key}`;
    if (/^(open|close)_time$|^time_(start|end)$/.test(key) && /properties$/.test(path)) {
      if (!types(value as Schema).includes("#/components/schemas/ClockTime")) wrong.push(at);
    } else {
      wrong.push(...timesOfDay(value, at));
    }
  }
  return wrong;
}

Deno.test("components: every time of day in a reply is HH:MM", () => {
  assert.equal(schemas["ClockTime"]!.pattern, "^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$");
  assert.deepEqual(timesOfDay(schemas, "schemas"), []);
});

Deno.test("components: avg_rating is a number in every schema, and fee_refusal is the object", () => {
  const text = JSON.stringify(schemas);
  for (const [, type] of text.matchAll(/"avg_rating":\{"type":("[a-z]+"|\[[^\]]*\])/g)) assert.equal(type, '"number"');
  for (const [, shape] of text.matchAll(/"fee_refusal":(\{.{0,80})/g)) {
    assert.match(shape!, /"\$ref":"#\/components\/schemas\/FeeRefusal"/);
  }
});

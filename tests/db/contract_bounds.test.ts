// The bounds of the contract are those of the database: every field of a request that is a column has the bounds of the
// constraints of the column.
import assert from "node:assert/strict";
import postgres from "postgres";

const sql = postgres(Deno.env.get("DB_URL") ?? assert.fail("DB_URL is not set"), { max: 1, onnotice: () => {} });
Deno.test.afterAll(() => sql.end());

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const contract: Contract = JSON.parse(await Deno.readTextFile(new URL("../../contract/openapi.json", import.meta.url)));
const schemas = contract.components.schemas;

/** The table whose columns are fields of a request. */
const TABLES: Readonly<Record<string, string>> = {
  AdChanges: "public.ads",
  AdministratorUpdate: "public.admins",
  ArticleChanges: "public.articles",
  BadgeUpdate: "public.badges",
  CodeChanges: "public.codes",
  ComposedNotificationUpdate: "public.user_notifications",
  CrashReport: "public.client_crash_reports",
  DateOverrideInput: "public.parking_lot_date_overrides",
  ErrorReportDecision: "public.error_reports",
  ExpRuleUpdate: "private.exp_rules",
  HolidayChanges: "public.holidays",
  LevelUpdate: "public.levels",
  MeUpdate: "public.app_users",
  NewAd: "public.ads",
  NewAdminUserSearchPreset: "public.search_presets",
  NewAdministrator: "public.admins",
  NewArticle: "public.articles",
  NewBadge: "public.badges",
  NewCheckin: "public.sponsor_checkins",
  NewCode: "public.codes",
  NewComposedNotification: "public.user_notifications",
  NewErrorReport: "public.error_reports",
  NewExpRule: "private.exp_rules",
  NewHoliday: "public.holidays",
  NewLevel: "public.levels",
  NewParkingLot: "public.parking_lots",
  NewParkingSession: "public.parking_sessions",
  NewPushToken: "public.user_push_tokens",
  NewRating: "public.parking_lot_ratings",
  NewReview: "public.reviews",
  NewSearchPreset: "public.search_presets",
  NewSponsor: "public.sponsors",
  NewSubscriptionPlan: "public.subscription_plans",
  NewSupportTicket: "public.support_tickets",
  NewTag: "public.tags",
  NewTheme: "public.themes",
  NewThemeGift: "public.theme_gifts",
  NewVehicle: "public.user_vehicles",
  ParkingLotChanges: "public.parking_lots",
  ParkingLotImageInput: "public.parking_lot_images",
  ParkingLotTagInput: "public.parking_lot_tags",
  ParkingSessionUpdate: "public.parking_sessions",
  PricingGroupInput: "public.pricing_groups",
  PricingRuleInput: "private.pricing_terms",
  ReviewDecision: "public.reviews",
  ReviewUpdate: "public.reviews",
  SearchPreferencesUpdate: "public.search_preferences",
  SearchPresetUpdate: "public.search_presets",
  SponsorChanges: "public.sponsors",
  SpotInput: "public.parking_lot_spots",
  SubscriptionPlanChanges: "public.subscription_plans",
  SupportTicketDecision: "public.support_tickets",
  TagChanges: "public.tags",
  ThemeUpdate: "public.themes",
  UploadRequest: "public.assets",
  Vehicle: "public.user_vehicles",
  VehicleUpdate: "public.user_vehicles",
  WindowInput: "public.parking_lot_windows",
};

/** Requests of administrators that may have every column of the table that private.written_columns has, but these. */
const WHOLE_ROWS: Readonly<Record<string, readonly string[]>> = {
  AdChanges: [],
  ArticleChanges: [],
  BadgeUpdate: [],
  ExpRuleUpdate: ["activity_type", "reason"],
  HolidayChanges: [],
  LevelUpdate: [],
  NewAd: [],
  NewArticle: ["withdrawn_at"],
  NewBadge: [],
  NewExpRule: [],
  NewHoliday: [],
  NewLevel: [],
  NewSponsor: [],
  NewSubscriptionPlan: [],
  NewTag: [],
  NewTheme: [],
  SponsorChanges: [],
  SubscriptionPlanChanges: ["code"],
  TagChanges: ["slug"],
  ThemeUpdate: [],
};

/** Requests whose fields are columns of no table, or whose items have a schema that is in the table above. */
const WITHOUT_TABLE = new Set([
  ..."ActReason AdminUserPremium AiSearchParseRequest AiSearchRequest AppStoreNotification FeePreview FeeRequest".split(
    " ",
  ),
  ..."FieldValueDecision FinalizeParkingSession GooglePlayNotification LotImport MarkRead NewOccupancyReport".split(
    " ",
  ),
  ..."NewSavedParkingLot NewSessionPhoto NewSupportAnswer NewSupportMessage NotificationPreferencesUpdate".split(" "),
  ..."OccupancyFeed RefreshIapRequest ReviewDecisions SendNotification TriggerStoreSyncRequest VerifyIapRequest".split(
    " ",
  ),
  ..."DateOverridesInput ParkingLotImagesInput ParkingLotTagsInput PricingGroupsInput PricingRulesInput".split(" "),
  ..."BadgePreview SpotsInput TariffText WindowsInput".split(" "),
]);

const TRIMMED = "a text is trimmed; an empty one is stored as null";
const NOT_BLANK = "the console accepts no empty text";
const DECISIONS = "the states that a decision can set";
const CODE = "a code of a list in the database, which checks it";
const AREAS = "the areas are listed in the database; the contract bounds their number";

/** Fields whose bounds differ, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "AdministratorUpdate.areas": AREAS,
  "ComposedNotificationUpdate.type": CODE,
  "CrashReport.stack": "bounded in bytes, and cut before it is stored",
  "DateOverrideInput.note": NOT_BLANK,
  "ErrorReportDecision.status": DECISIONS,
  "NewAdminUserSearchPreset.name": "a deleted preset has an empty name",
  "NewAdministrator.areas": AREAS,
  "NewCode.category_id": CODE,
  "NewComposedNotification.type": CODE,
  "NewErrorReport.report_type": CODE,
  "NewExpRule.activity_type": CODE,
  "NewExpRule.reason": CODE,
  "NewParkingLot.address": NOT_BLANK,
  "NewParkingLot.operator_code": CODE,
  "NewParkingLot.time_zone": "a name of a list in Postgres",
  "NewPushToken.fcm_token": "the constraint's pattern requires a character",
  "NewSearchPreset.name": "a deleted preset has an empty name",
  "NewSponsor.time_zone": "a name of a list in Postgres",
  "NewSupportTicket.category": CODE,
  "NewVehicle.color": TRIMMED,
  "NewVehicle.nickname": TRIMMED,
  "NewVehicle.plate_number": TRIMMED,
  "ParkingLotChanges.address": NOT_BLANK,
  "ParkingLotChanges.operator_code": CODE,
  "ParkingLotChanges.time_zone": "a name of a list in Postgres",
  "ParkingSessionUpdate.memo": TRIMMED,
  "ParkingSessionUpdate.personal_rating": TRIMMED,
  "PricingGroupInput.vehicle_types": "different codes of a list in the database; the contract bounds their number",
  "PricingRuleInput.cap_duration_hours": "the constraint requires a microsecond",
  "ReviewDecision.status": DECISIONS,
  "SearchPresetUpdate.name": "a deleted preset has an empty name",
  "SponsorChanges.time_zone": "a name of a list in Postgres",
  "SupportTicketDecision.status": DECISIONS,
  "VehicleUpdate.color": TRIMMED,
  "VehicleUpdate.nickname": TRIMMED,
  "VehicleUpdate.plate_number": TRIMMED,
};

function resolved(schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolved(schemas[schema.$ref.split("/").at(-1)!]!);
  const choice = schema.anyOf?.filter(({ type }) => type !== "null") ?? schema.allOf;
  return choice?.length === 1 ? resolved({ ...resolved(choice[0]!) }) : schema;
}

type Bounds = Readonly<Record<string, unknown>>;

/** The bounds of a field in the words of private.column_bounds; those that every value of the type has are left out. */
function boundsOf(schema: Schema): Bounds {
  const { minLength, maxLength, minItems, maxItems, minimum, exclusiveMinimum, maximum, enum: values, type } = resolved(
    schema,
  );
  const isInteger = [type].flat().includes("integer");
  return plain({
    min_length: minLength || minItems || undefined,
    max_length: maxLength ?? maxItems,
    min: isInteger && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : minimum,
    above: isInteger ? undefined : exclusiveMinimum,
    max: maximum,
    in: values?.filter((value) => value !== null).toSorted(),
  });
}

const EVERY_INTEGER: Bounds = { min: -2_147_483_648, max: 2_147_483_647 };

function plain(bounds: Bounds): Bounds {
  return Object.fromEntries(
    ["min_length", "max_length", "min", "above", "max", "in"].map((name) => [name, bounds[name]])
      .filter(([name, value]) => value !== undefined && EVERY_INTEGER[name as string] !== value),
  );
}

const columns = new Map<string, Bounds>();
for (const table of new Set(Object.values(TABLES))) {
  const rows = await sql<{ name: string; bounds: Bounds }[]>`
    select column_name as name, bounds from private.column_bounds(${table}::regclass)`;
  for (const { name, bounds } of rows) {
    columns.set(`${table}.${name}`, { ...bounds, in: (bounds["in"] as string[] | undefined)?.toSorted() });
  }
}

const TEXTS_AND_NUMBERS = ["text", "text[]", "smallint", "integer", "bigint", "numeric", "double precision"];

Deno.test("contract: a field of a request that is a column has the bounds of the column's constraints", () => {
  const differences = Object.entries(TABLES).flatMap(([schema, table]) =>
    Object.entries(resolved(schemas[schema]!).properties ?? {}).flatMap(([field, property]) => {
      const column = columns.get(`${table}.${field}`);
      if (column === undefined || !TEXTS_AND_NUMBERS.includes(String(column["type"]))) return [];
      const [inContract, inDatabase] = [boundsOf(property), plain(column)].map((each) => JSON.stringify(each));
      if (inContract === inDatabase) return [];
      return [[`${schema}.${field}`, `contract ${inContract}, database ${inDatabase}`]];
    })
  );
  assert.deepEqual(
    Object.fromEntries(differences.filter(([name]) => DIFFERENT[name!] === undefined)),
    {},
  );
  assert.deepEqual(Object.keys(DIFFERENT).toSorted(), differences.map(([name]) => name).toSorted());
});

Deno.test("contract: administrators send the columns that the database accepts, and a new row needs those that it requires", async () => {
  for (const [schema, without] of Object.entries(WHOLE_ROWS)) {
    const accepted = await sql<{ name: string; isRequired: boolean }[]>`
      select name, is_required as "isRequired"
      from private.written_columns(${TABLES[schema]!}::regclass, ${
      schema.startsWith("New")
    }) order by name collate "C"`;
    const { properties = {}, required = [] } = resolved(schemas[schema]!);
    assert.deepEqual(
      [Object.keys(properties).toSorted(), required.toSorted()],
      [
        accepted.map(({ name }) => name).filter((name) => !without.includes(name)),
        accepted.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      ],
      schema,
    );
  }
});

Deno.test("contract: it is known of every request which table has its fields, or that none has", () => {
  const bodies = Object.values(contract.paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
  );
  const names = bodies.flatMap(({ schema }) => schema.$ref?.split("/").at(-1) ?? []);
  assert.deepEqual(names.filter((name) => !(name in TABLES) && !WITHOUT_TABLE.has(name)), []);
});

Deno.test("contract: the sentence of each constraint on a field of a request states what the constraint requires", async () => {
  const found: string[] = [];
  for (const [schema, table] of Object.entries(TABLES)) {
    const fields = Object.keys(resolved(schemas[schema]!).properties ?? {});
    const broken = await sql<{ message: string }[]>`
      select b.message from private.checks_of(${table}::regclass, ${fields}) as c
      cross join lateral private.broken_check(${table}::regclass, c.name) as b
      where c.columns <@ ${fields} and b.message like '%not allowed%'`;
    found.push(...broken.map(({ message }) => `${table}: ${message}`));
  }
  assert.deepEqual([...new Set(found)], []);
});

/** The worst question that we know for each function of the interface, and for some functions more than one. */

/** A call in SQL, with the values that `Known` names in braces. */
export interface Question {
  readonly about: string;
  readonly call: string;
  /** Who asks; an anonymous user unless it says otherwise. */
  readonly as?: "person";
}

/** What a call may name: `{lot}` and so on. */
export interface Known {
  /** The middle of the densest city, where all lots have prices. */
  readonly lat: number;
  readonly lng: number;
  /** A lot with many reviews, reports and votes, and a person with many rows of everything. */
  readonly lot: string;
  readonly person: string;
  readonly ticket: string;
  /** One that has ended, and one that has been running for most of a year. */
  readonly session: string;
  readonly running: string;
  readonly article: string;
  readonly field_value: string;
  readonly sponsor: string;
}

const anyone = (about: string, call: string): Question => ({ about, call });
const person = (about: string, call: string): Question => ({ about, call, as: "person" });

const MONTH = `"entry_at":"2026-12-05T00:00:00+09:00","exit_at":"2027-01-05T00:00:00+09:00"`;
const STAY = `"entry_at":"2026-11-25T10:00:00+09:00","exit_at":"2026-11-26T10:00:00+09:00"`;
const HERE = `{"lat":{lat},"lng":{lng}}`;

const near = (about: string, filters: string, rest = "") =>
  anyone(`50 km, 100 lots, ${about}`, `api.nearby_parking_lots({lat}, {lng}, 50000, 100, '${filters}'${rest})`);
const search = (about: string, query: string, rest = "") => anyone(about, `api.search_parking_lots('${query}'${rest})`);

const NOWHERE: readonly [string, string][] = [
  ["a vehicle that fits nowhere", `"vehicle":{"height_m":10}`],
  ["a price that few lots have", `"price_max":0`],
  ["attributes that exclude each other", `"attributes":["covered","ev_charging","reservable"]`],
  ["an operator that no lot has", `"operator_codes":["nobody"]`],
  ["a difficulty that no lot has", `"difficulty":["hard"]`],
  ["a keyword of common pairs that no lot has", `"keywords":["lot block city"]`],
  ["ten keywords, one of which no lot has", `"keywords":["l","o","t","lo","ot","bl","ck","it","ty","zq"]`],
];
const ORDERS: readonly [string, string][] = [
  ["recommended", `"sort":"recommended"`],
  ["price", `"sort":"price"`],
  ["distance", `"sort":"distance","center":${HERE}`],
  ["distance within 50 km", `"sort":"distance","radius_m":50000,"center":${HERE}`],
  ["distance from afar", `"sort":"distance","center":{"lat":51.5,"lng":0}`],
];

const list = (name: string, rest = "p_limit => 100") =>
  person("a page of 100, counted", `api.${name}(${rest}, p_include => '{total}')`);

export const WORST: Readonly<Record<string, readonly Question[]>> = {
  nearby_parking_lots: [
    near("31 days", `{${MONTH}}`, ", 'price'"),
    near("31 days, max_price 1", `{${MONTH},"max_price":1}`),
    near("31 days, max_price 9,000", `{${MONTH},"max_price":9000}`),
    near("31 days, max_price 20,000", `{${MONTH},"max_price":20000}`),
    near("a day, max_price 700, open now", `{${STAY},"max_price":700,"open_now":true}`),
    near("max_price 0, open now", `{"max_price":0,"open_now":true}`),
    near("open now", `{"open_now":true}`),
    near("a tag that no lot has", `{"tags":["barrier_free"]}`),
    near("a tag that one lot in a thousand has", `{"tags":["reservable"]}`),
    near("a height that no lot takes", `{"max_height_m":100}`),
    near(
      "a vehicle that fits nowhere",
      `{}`,
      `, 'recommended', '{"height_m":10,"width_m":5,"length_m":20,"weight_t":50}'`,
    ),
  ],
  search_parking_lots: [
    ...ORDERS.flatMap(([order, sort]) =>
      NOWHERE.map(([about, condition]) => search(`${order}, ${about}`, `{${sort},${condition}}`))
    ),
    search("recommended, 1,000 lots, as of an export", "{}", ", p_limit => 1000"),
    search("distance, 1,000 lots", `{"center":${HERE}}`, ", p_limit => 1000"),
    search("total of all", "{}", ", p_include => '{total}'"),
    search("total of common keywords", `{"keywords":["l","o","t"]}`, ", p_include => '{total}'"),
    search("total of a vehicle that fits nowhere", `{"vehicle":{"width_m":5}}`, ", p_include => '{total}'"),
    search("clusters of the world", "{}", ", p_zoom => 3, p_bbox => '{-180,-85,180,85}'"),
    search(
      "clusters of the world, covered",
      `{"attributes":["covered"]}`,
      ", p_zoom => 3, p_bbox => '{-180,-85,180,85}'",
    ),
    search(
      "clusters of the world, one lot in five",
      `{"attributes":["covered"],"price_max":900}`,
      ", p_zoom => 3, p_bbox => '{-180,-85,180,85}'",
    ),
    search(
      "clusters of a city, 2,800 cells",
      "{}",
      ", p_zoom => 14, p_bbox => array[{lng}-0.072, {lat}-0.058, {lng}+0.072, {lat}+0.058]",
    ),
    search(
      "clusters of a region, 2,800 cells",
      "{}",
      ", p_zoom => 11, p_bbox => array[{lng}-0.57, {lat}-0.47, {lng}+0.57, {lat}+0.47]",
    ),
    search("changes, 1,000 lots", "{}", ", p_updated_since => '2020-01-01Z', p_limit => 1000"),
    search("100 ids", "{}", ", p_ids => array(select id from public.parking_lots limit 100), p_limit => 100"),
  ],
  get_parking_lot: [
    anyone(
      "everything, a stay of a year, a vehicle",
      `api.get_parking_lot('{lot}', '{field_value_ids,hours,field_provenance,occupancy_forecast}', '2026-02-01T00:00Z',
        '2027-02-01T00:00Z', 'standard', '{"height_m":10,"width_m":5}')`,
    ),
  ],
  calculate_fee: [anyone("a year", `api.calculate_fee('{lot}', '2026-02-01T00:00Z', '2027-02-01T00:00Z')`)],
  list_pricing_rules: [anyone("100", `api.list_pricing_rules('{lot}', 100, p_include => '{total}')`)],
  list_parking_lot_reviews: [
    anyone("a lot with many reviews, counted", `api.list_parking_lot_reviews('{lot}', 100, p_include => '{total}')`),
  ],
  parking_lot_occupancy: [anyone("a lot with many reports", `api.parking_lot_occupancy('{lot}')`)],
  my_parking_lot_rating: [person("one", `api.my_parking_lot_rating('{lot}')`)],
  nearby_sponsors: [anyone("50 km, 100", "api.nearby_sponsors({lat}, {lng}, 50000, 100)")],
  list_sponsors: [anyone("100, counted", "api.list_sponsors(p_limit => 100, p_include => '{total}')")],
  list_ads: [anyone("100 of 2,000, shuffled, counted", "api.list_ads('map', 'seed', 100, p_include => '{total}')")],
  list_articles: [anyone("100 of 2,000, counted", "api.list_articles(p_limit => 100, p_include => '{total}')")],
  get_article: [anyone("one", "api.get_article('{article}')")],
  list_codes: [anyone("all", "api.list_codes('ja')")],
  list_tags: [anyone("100", "api.list_tags(p_limit => 100, p_include => '{total}')")],
  list_subscription_plans: [anyone("100", "api.list_subscription_plans(p_limit => 100, p_include => '{total}')")],
  service_readiness: [anyone("one", "api.service_readiness()")],
  read_counted: [anyone("of the codes", `api.read_counted('list_codes', '{"lang":"ja"}')`)],
  run_command: [
    person(
      "a rating, with a key",
      `api.run_command('rate_parking_lot', '{"parking_lot_id":"{lot}","value":"bad"}',
      'worst', repeat('a', 64))`,
    ),
  ],
  take_request: [person("one", "api.take_request('write')")],
  export_my_data: [person("everything", "api.export_my_data()")],
  my_account: [person("one", "api.my_account()")],
  my_exp: [person("one", "api.my_exp()")],
  my_current_parking_session: [person("after 300 days", "api.my_current_parking_session()")],
  my_parking_session: [person("after 300 days", "api.my_parking_session('{running}')")],
  my_notification_preferences: [person("all", "api.my_notification_preferences()")],
  my_subscription: [person("one", "api.my_subscription()")],
  my_search_preferences: [person("one", "api.my_search_preferences()")],
  get_support_ticket: [person("a page of 100 of 200 messages", "api.get_support_ticket('{ticket}', 100)")],
  list_my_badge_progress: [list("list_my_badge_progress")],
  list_my_badges: [list("list_my_badges")],
  list_my_error_reports: [list("list_my_error_reports")],
  list_my_exp_entries: [list("list_my_exp_entries")],
  list_my_notifications: [
    list("list_my_notifications"),
    person("unread, counted both ways", "api.list_my_notifications(true, 100, p_include => '{total,unread_count}')"),
  ],
  list_my_parking_sessions: [
    list("list_my_parking_sessions"),
    person(
      "of a status that none has",
      "api.list_my_parking_sessions(100, p_status => 'cancelled', p_include => '{total}')",
    ),
    person("of a lot that none is at", "api.list_my_parking_sessions(100, p_parking_lot_id => gen_random_uuid())"),
  ],
  list_my_reviews: [list("list_my_reviews")],
  list_my_ai_keys: [person("all", "api.list_my_ai_keys()")],
  list_my_saved_parking_lots: [list("list_my_saved_parking_lots")],
  list_my_search_presets: [list("list_my_search_presets")],
  list_my_subscription_events: [list("list_my_subscription_events")],
  list_my_support_tickets: [list("list_my_support_tickets")],
  list_my_theme_gifts: [list("list_my_theme_gifts")],
  list_my_themes: [list("list_my_themes")],
  list_my_vehicles: [list("list_my_vehicles")],

  add_my_vehicle: [person("one", `commands.add_my_vehicle('{"vehicle_type":"standard"}')`)],
  apply_my_theme: [person("one", "commands.apply_my_theme((select id from public.themes where is_free limit 1))")],
  cancel_parking_session: [person("too late", "commands.cancel_parking_session('{running}')")],
  check_in_at_sponsor: [person("one", "commands.check_in_at_sponsor('{sponsor}', {lat}, {lng}, 10)")],
  claim_subscription: [person("none", "commands.claim_subscription(gen_random_uuid())")],
  create_my_search_preset: [person("one", "commands.create_my_search_preset('Name', '{\"v\":1}', true)")],
  create_support_ticket: [person("one", "commands.create_support_ticket('other', 'Subject', repeat('x', 4000))")],
  create_upload: [person("one", "commands.create_upload(1000, 'image/png', 'support')")],
  delete_ai_key: [person("none", "commands.delete_ai_key('openai')")],
  delete_my_push_token: [person("none", "commands.delete_my_push_token(gen_random_uuid())")],
  delete_my_review: [person("none", "commands.delete_my_review(gen_random_uuid())")],
  delete_my_search_preset: [person("none", "commands.delete_my_search_preset(gen_random_uuid())")],
  delete_my_session_photo: [person("none", "commands.delete_my_session_photo('{session}', 'entry', 1)")],
  delete_my_vehicle: [person("none", "commands.delete_my_vehicle(gen_random_uuid())")],
  finalize_parking_session: [person("after 300 days", "commands.finalize_parking_session('{running}', now())")],
  mark_my_notifications_read: [person("all at once", "commands.mark_my_notifications_read(p_before => now())")],
  post_error_report: [person("one", "commands.post_error_report('price', repeat('x', 2000), '{lot}')")],
  post_review: [person("of a lot with many reviews", "commands.post_review('{lot}', 5, repeat('x', 2000))")],
  put_my_push_token: [person("one", "commands.put_my_push_token(repeat('t', 200), 'ios')")],
  put_my_session_photo: [person("none", "commands.put_my_session_photo('{session}', 'entry', 1, gen_random_uuid())")],
  rate_parking_lot: [person("one", "commands.rate_parking_lot('{lot}', 'bad')")],
  reply_to_support_ticket: [person("a full ticket", "commands.reply_to_support_ticket('{ticket}', repeat('x', 4000))")],
  register_ai_key: [person("one", "commands.register_ai_key('openai', repeat('k', 200))")],
  report_occupancy: [person("a lot with many reports", "commands.report_occupancy('{lot}', 'crowded')")],
  save_parking_lot: [person("one", "commands.save_parking_lot('{lot}')")],
  set_default_search_preset: [person("none", "commands.set_default_search_preset(gen_random_uuid())")],
  set_my_notification_preferences: [person("none", "commands.set_my_notification_preferences('[]')")],
  set_my_search_preferences: [person("one", "commands.set_my_search_preferences(50)")],
  start_parking_session: [person("a second one", "commands.start_parking_session('{lot}', 'standard')")],
  unrate_parking_lot: [person("one", "commands.unrate_parking_lot('{lot}')")],
  unsave_parking_lot: [person("one", "commands.unsave_parking_lot('{lot}')")],
  update_my_account: [person("the name, with many reviews", "commands.update_my_account('Name')")],
  update_my_parking_session: [person("one", "commands.update_my_parking_session('{session}', 'Memo')")],
  update_my_review: [person("none", "commands.update_my_review(gen_random_uuid(), 3)")],
  update_my_search_preset: [person("none", "commands.update_my_search_preset(gen_random_uuid(), 'Name')")],
  update_my_vehicle: [person("none", 'commands.update_my_vehicle(gen_random_uuid(), \'{"nickname":"x"}\')')],
  vote_on_field_value: [
    person("one of many votes", "commands.vote_on_field_value('{lot}', '{field_value}', 'confirm')"),
  ],
  withdraw_my_account: [person("with many rows of everything", "commands.withdraw_my_account()")],
};

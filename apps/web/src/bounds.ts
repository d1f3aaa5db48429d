// Generated from openapi.json by `deno task openapi`. Do not edit.
// deno-fmt-ignore-file
/** The bounds of the fields of requests, as properties of fields. */

export const ActReason = {
  reason: { maxLength: 500 },
} as const;

export const AdChanges = {
  title: { maxLength: 100 },
  body: { maxLength: 500 },
  image_url: { maxLength: 2000 },
  link_url: { maxLength: 2000 },
  weight: { min: 1, max: 10000 },
} as const;

export const AdminUserPremium = {
  reason: { maxLength: 500 },
} as const;

export const AdministratorUpdate = {
  name: { maxLength: 100 },
} as const;

export const AiSearchParseRequest = {
  query: { maxLength: 500 },
  locale: { maxLength: 35 },
  lat: { min: -90, max: 90 },
  lng: { min: -180, max: 180 },
  time_zone: { maxLength: 64 },
} as const;

export const AiSearchRequest = {
  query: { maxLength: 500 },
  message: { maxLength: 500 },
  locale: { maxLength: 35 },
  lat: { min: -90, max: 90 },
  lng: { min: -180, max: 180 },
  time_zone: { maxLength: 64 },
} as const;

export const AppStoreNotification = {
  signedPayload: { maxLength: 131072 },
} as const;

export const ArticleChanges = {
  slug: { maxLength: 100 },
  title: { maxLength: 200 },
  summary: { maxLength: 500 },
  body: { maxLength: 100000 },
  cover_image_url: { maxLength: 2000 },
} as const;

export const BadgePreview = {
  threshold: { min: 1, max: 1000000 },
} as const;

export const BadgeUpdate = {
  name: { maxLength: 100 },
  description: { maxLength: 500 },
  name_en: { maxLength: 100 },
  description_en: { maxLength: 500 },
  icon: { maxLength: 100 },
  threshold: { min: 1, max: 1000000 },
  sort_order: { min: -1000000, max: 1000000 },
} as const;

export const CodeChanges = {
  sort_order: { min: -2147483648, max: 2147483647 },
} as const;

export const ComposedNotificationUpdate = {
  type: { maxLength: 50 },
  title: { maxLength: 200 },
  body: { maxLength: 4000 },
  title_en: { maxLength: 200 },
  body_en: { maxLength: 4000 },
} as const;

export const CrashReport = {
  stack: { maxLength: 65536 },
  device: { maxLength: 200 },
  app_version: { maxLength: 50 },
} as const;

export const DateOverridesInput = {
  reason: { maxLength: 500 },
} as const;

export const ErrorReportDecision = {
  reason: { maxLength: 500 },
} as const;

export const ExpRuleUpdate = {
  amount: { min: 1, max: 10000 },
  daily_limit: { min: 1, max: 1000 },
} as const;

export const FeePreview = {
  vehicle_type: { maxLength: 50 },
} as const;

export const FeeRequest = {
  vehicle_type: { maxLength: 50 },
} as const;

export const FieldValueDecision = {
  reason: { maxLength: 500 },
} as const;

export const GooglePlayNotification = {
  subscription: { maxLength: 500 },
  deliveryAttempt: { min: 0, max: 2147483647 },
} as const;

export const HolidayChanges = {
  name: { maxLength: 200 },
  name_en: { maxLength: 200 },
} as const;

export const LevelUpdate = {
  required_exp: { min: 0, max: 1000000000 },
  name: { maxLength: 50 },
  name_en: { maxLength: 50 },
} as const;

export const LotImport = {
  source: { maxLength: 100 },
  licence: { maxLength: 200 },
  attribution: { maxLength: 500 },
  source_url: { maxLength: 2000 },
} as const;

export const MeUpdate = {
  display_name: { maxLength: 100 },
} as const;

export const NearbyFilters = {
  max_height_m: { above: 0, max: 100 },
  max_price: { min: 0, max: 100000 },
} as const;

export const NewAd = {
  title: { maxLength: 100 },
  body: { maxLength: 500 },
  image_url: { maxLength: 2000 },
  link_url: { maxLength: 2000 },
  weight: { min: 1, max: 10000 },
} as const;

export const NewAdminUserSearchPreset = {
  name: { maxLength: 100 },
  sort_order: { min: 0, max: 1000000 },
} as const;

export const NewAdministrator = {
  email: { maxLength: 255 },
  name: { maxLength: 100 },
} as const;

export const NewArticle = {
  slug: { maxLength: 100 },
  title: { maxLength: 200 },
  summary: { maxLength: 500 },
  body: { maxLength: 100000 },
  cover_image_url: { maxLength: 2000 },
} as const;

export const NewBadge = {
  name: { maxLength: 100 },
  description: { maxLength: 500 },
  name_en: { maxLength: 100 },
  description_en: { maxLength: 500 },
  icon: { maxLength: 100 },
  threshold: { min: 1, max: 1000000 },
  sort_order: { min: -1000000, max: 1000000 },
} as const;

export const NewCheckin = {
  lat: { min: -90, max: 90 },
  lng: { min: -180, max: 180 },
  accuracy_m: { min: 0, max: 1000000 },
} as const;

export const NewCode = {
  sort_order: { min: -2147483648, max: 2147483647 },
  category_id: { maxLength: 100 },
} as const;

export const NewComposedNotification = {
  type: { maxLength: 50 },
  title: { maxLength: 200 },
  body: { maxLength: 4000 },
  title_en: { maxLength: 200 },
  body_en: { maxLength: 4000 },
} as const;

export const NewErrorReport = {
  parking_lot_name: { maxLength: 200 },
  report_type: { maxLength: 50 },
  description: { maxLength: 2000 },
} as const;

export const NewExpRule = {
  reason: { maxLength: 50 },
  activity_type: { maxLength: 50 },
  amount: { min: 1, max: 10000 },
  daily_limit: { min: 1, max: 1000 },
} as const;

export const NewHoliday = {
  name: { maxLength: 200 },
  name_en: { maxLength: 200 },
} as const;

export const NewLevel = {
  level: { min: 1, max: 10000 },
  required_exp: { min: 0, max: 1000000000 },
  name: { maxLength: 50 },
  name_en: { maxLength: 50 },
} as const;

export const NewOccupancyReport = {
  free_spaces: { min: 0, max: 1000000 },
  occupancy_ratio: { min: 0, max: 1 },
} as const;

export const NewParkingLot = {
  name: { maxLength: 200 },
  name_kana: { maxLength: 200 },
  address: { maxLength: 500 },
  lat: { min: -90, max: 90 },
  lng: { min: -180, max: 180 },
  total_spaces: { min: 0, max: 1000000 },
  structure: { maxLength: 50 },
  max_height_m: { above: 0, max: 50 },
  max_width_m: { above: 0, max: 50 },
  max_length_m: { above: 0, max: 100 },
  max_weight_t: { above: 0, max: 200 },
  min_clearance_cm: { min: 0, max: 200 },
  max_tire_width_mm: { min: 1, max: 2000 },
  max_parking_duration_min: { min: 1, max: 2147483647 },
  entry_method: { maxLength: 50 },
  shape_type: { maxLength: 50 },
  operator_code: { maxLength: 50 },
  phone: { maxLength: 50 },
  website: { maxLength: 2000 },
  time_zone: { maxLength: 100 },
  source: { maxLength: 100 },
  external_id: { maxLength: 200 },
  source_url: { maxLength: 2000 },
  licence: { maxLength: 200 },
  attribution: { maxLength: 500 },
} as const;

export const NewParkingSession = {
  vehicle_type: { maxLength: 50 },
  start_lat: { min: -90, max: 90 },
  start_lng: { min: -180, max: 180 },
} as const;

export const NewPushToken = {
  fcm_token: { maxLength: 2000 },
} as const;

export const NewReview = {
  rating: { min: 1, max: 5 },
  comment: { maxLength: 2000 },
} as const;

export const NewSearchPreset = {
  name: { maxLength: 100 },
  sort_order: { min: 0, max: 1000000 },
} as const;

export const NewSponsor = {
  name: { maxLength: 200 },
  description: { maxLength: 4000 },
  address: { maxLength: 500 },
  lat: { min: -90, max: 90 },
  lng: { min: -180, max: 180 },
  website: { maxLength: 2000 },
  time_zone: { maxLength: 64 },
  checkin_radius_m: { min: 10, max: 1000 },
  sort_order: { min: -2147483648, max: 2147483647 },
} as const;

export const NewSubscriptionPlan = {
  name: { maxLength: 100 },
  name_en: { maxLength: 100 },
  description: { maxLength: 1000 },
  description_en: { maxLength: 1000 },
  price_minor: { min: 0, max: 2147483647 },
  sort_order: { min: -2147483648, max: 2147483647 },
} as const;

export const NewSupportAnswer = {
  message: { maxLength: 4000 },
} as const;

export const NewSupportMessage = {
  message: { maxLength: 4000 },
} as const;

export const NewSupportTicket = {
  category: { maxLength: 50 },
  subject: { maxLength: 100 },
  message: { maxLength: 4000 },
} as const;

export const NewTag = {
  name: { maxLength: 100 },
  name_en: { maxLength: 100 },
  category: { maxLength: 50 },
  icon_name: { maxLength: 50 },
  sort_order: { min: -2147483648, max: 2147483647 },
} as const;

export const NewTheme = {
  name: { maxLength: 100 },
  description: { maxLength: 1000 },
  price_yen_minor: { min: 1, max: 1000000 },
  unlock_level: { min: 2, max: 10000 },
  sort_order: { min: -1000000, max: 1000000 },
} as const;

export const NewThemeGift = {
  message: { maxLength: 500 },
} as const;

export const NewVehicle = {
  vehicle_type: { maxLength: 50 },
  nickname: { maxLength: 50 },
  plate_number: { maxLength: 30 },
  color: { maxLength: 30 },
  height_m: { above: 0, max: 10 },
  width_m: { above: 0, max: 5 },
  length_m: { above: 0, max: 20 },
  weight_t: { above: 0, max: 50 },
  clearance_cm: { min: 0, max: 100 },
  tire_width_mm: { min: 1, max: 500 },
} as const;

export const ParkingLotChanges = {
  name: { maxLength: 200 },
  name_kana: { maxLength: 200 },
  address: { maxLength: 500 },
  lat: { min: -90, max: 90 },
  lng: { min: -180, max: 180 },
  total_spaces: { min: 0, max: 1000000 },
  structure: { maxLength: 50 },
  max_height_m: { above: 0, max: 50 },
  max_width_m: { above: 0, max: 50 },
  max_length_m: { above: 0, max: 100 },
  max_weight_t: { above: 0, max: 200 },
  min_clearance_cm: { min: 0, max: 200 },
  max_tire_width_mm: { min: 1, max: 2000 },
  max_parking_duration_min: { min: 1, max: 2147483647 },
  entry_method: { maxLength: 50 },
  shape_type: { maxLength: 50 },
  operator_code: { maxLength: 50 },
  phone: { maxLength: 50 },
  website: { maxLength: 2000 },
  time_zone: { maxLength: 100 },
  source: { maxLength: 100 },
  external_id: { maxLength: 200 },
  source_url: { maxLength: 2000 },
  licence: { maxLength: 200 },
  attribution: { maxLength: 500 },
} as const;

export const ParkingLotImagesInput = {
  reason: { maxLength: 500 },
} as const;

export const ParkingLotTagsInput = {
  reason: { maxLength: 500 },
} as const;

export const ParkingSessionUpdate = {
  memo: { maxLength: 1000 },
  personal_rating: { maxLength: 50 },
} as const;

export const PricingGroupsInput = {
  reason: { maxLength: 500 },
} as const;

export const PricingRulesInput = {
  reason: { maxLength: 500 },
} as const;

export const RefreshIapRequest = {
  receipt: { maxLength: 262144 },
  product_id: { maxLength: 200 },
  transaction_id: { maxLength: 100 },
} as const;

export const ReviewDecision = {
  reason: { maxLength: 500 },
} as const;

export const ReviewUpdate = {
  rating: { min: 1, max: 5 },
  comment: { maxLength: 2000 },
} as const;

export const SearchPreferencesUpdate = {
  yen_per_walk_minute: { min: 0, max: 500 },
} as const;

export const SearchPresetUpdate = {
  name: { maxLength: 100 },
  sort_order: { min: 0, max: 1000000 },
} as const;

export const SearchQueryV1 = {
  v: { min: 1, max: 1 },
  radius_m: { min: 1, max: 50000 },
  price_min: { min: 0, max: 100000 },
  price_max: { min: 0, max: 100000 },
} as const;

export const SponsorChanges = {
  name: { maxLength: 200 },
  description: { maxLength: 4000 },
  address: { maxLength: 500 },
  lat: { min: -90, max: 90 },
  lng: { min: -180, max: 180 },
  website: { maxLength: 2000 },
  time_zone: { maxLength: 64 },
  checkin_radius_m: { min: 10, max: 1000 },
  sort_order: { min: -2147483648, max: 2147483647 },
} as const;

export const SpotsInput = {
  reason: { maxLength: 500 },
} as const;

export const SubscriptionPlanChanges = {
  name: { maxLength: 100 },
  name_en: { maxLength: 100 },
  description: { maxLength: 1000 },
  description_en: { maxLength: 1000 },
  price_minor: { min: 0, max: 2147483647 },
  sort_order: { min: -2147483648, max: 2147483647 },
} as const;

export const TagChanges = {
  name: { maxLength: 100 },
  name_en: { maxLength: 100 },
  category: { maxLength: 50 },
  icon_name: { maxLength: 50 },
  sort_order: { min: -2147483648, max: 2147483647 },
} as const;

export const TariffText = {
  text: { maxLength: 2000 },
} as const;

export const ThemeUpdate = {
  name: { maxLength: 100 },
  description: { maxLength: 1000 },
  price_yen_minor: { min: 1, max: 1000000 },
  unlock_level: { min: 2, max: 10000 },
  sort_order: { min: -1000000, max: 1000000 },
} as const;

export const UploadRequest = {
  file_name: { maxLength: 255 },
  file_size: { min: 1, max: 10485760 },
} as const;

export const Vehicle = {
  height_m: { above: 0, max: 10 },
  width_m: { above: 0, max: 5 },
  length_m: { above: 0, max: 20 },
  weight_t: { above: 0, max: 50 },
  clearance_cm: { min: 0, max: 100 },
  tire_width_mm: { min: 1, max: 500 },
} as const;

export const VehicleUpdate = {
  vehicle_type: { maxLength: 50 },
  nickname: { maxLength: 50 },
  plate_number: { maxLength: 30 },
  color: { maxLength: 30 },
  height_m: { above: 0, max: 10 },
  width_m: { above: 0, max: 5 },
  length_m: { above: 0, max: 20 },
  weight_t: { above: 0, max: 50 },
  clearance_cm: { min: 0, max: 100 },
  tire_width_mm: { min: 1, max: 500 },
} as const;

export const VerifyIapRequest = {
  receipt: { maxLength: 262144 },
  product_id: { maxLength: 200 },
  transaction_id: { maxLength: 100 },
} as const;

export const WindowsInput = {
  reason: { maxLength: 500 },
} as const;

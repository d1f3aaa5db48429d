import { z } from "zod";
import { Fee, PricingRule } from "./fees.ts";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "./lists.ts";
import { Id, Moment, text, Timestamp } from "./values.ts";

const SessionStatus = z.enum(["parking", "ended", "cancelled"]).meta({
  id: "SessionStatus",
  description: "A code of category `session_status`. At most one session of a person is `parking`",
});

const Memo = text(0, 1000).nullable().optional();
const PersonalRating = text(0, 50).nullable().optional();
const Amount = z.int().min(0).nullable();

/** Why the price of a stay is not known. */
export const FeeRefusal = z.object({
  code: z.literal("fee_unknown"),
  reason: z.enum(["no_rules", "no_rate", "vehicle_type_not_priced"]).meta({
    description: "A code of category `fee_unknown_reason`",
  }),
  from: Timestamp.optional().meta({ description: "With `no_rate`: from when the lot's rules have no price" }),
  until: Timestamp.optional().meta({ description: "With `no_rate`: when they have one again, if that is known" }),
}).meta({ id: "FeeRefusal", description: "Why a fee is not known. Nothing is guessed" });

const UnknownFee = z.object({ refusal: FeeRefusal }).meta({ id: "UnknownFee" });

const session = {
  id: Id,
  user_id: Id,
  parking_lot_id: Id,
  parking_lot_name: z.string().meta({ description: "What the lot is called now" }),
  status: SessionStatus,
  vehicle_id: Id.nullable().meta({ description: "Which of the caller's vehicles it was, if they said" }),
  vehicle_type: z.string().nullable().meta({ description: "What it is charged as, a code of category `vehicle_type`" }),
  started_at: Timestamp.nullable().meta({ description: "The full second in which the session began" }),
  ended_at: Timestamp.nullable().meta({ description: "When the car left; null unless the session has ended" }),
  total_amount_minor: Amount.meta({
    description:
      "What the stay cost, in minor units of `currency`; null unless the session has ended and the fee is known",
  }),
  currency: z.string().nullable().meta({ description: "Null unless the session has ended", examples: ["JPY"] }),
  memo: z.string().nullable(),
  personal_rating: z.string().nullable(),
  start_lat: z.number().nullable(),
  start_lng: z.number().nullable(),
  created_at: Timestamp,
};

export const ParkingSession = z.object(session).meta({ id: "ParkingSession" });

const CurvePoint = z.object({
  at: Timestamp.meta({ description: "An exit later than this costs `amount`" }),
  amount: z.int().min(0),
}).meta({ id: "MeterPoint" });

const Meter = z.object({
  amount: z.int().min(0).meta({ description: "What an exit now costs, in minor units of `currency`" }),
  currency: z.string().meta({ examples: ["JPY"] }),
  next_increase_at: Timestamp.nullable().meta({ description: "Until when it stays so; null: through `known_until`" }),
  next_amount: z.int().min(0).nullable(),
  cap_reached: z.boolean().meta({ description: "Whether a maximum fee holds the amount now" }),
  known_until: Timestamp.meta({
    description: "How far ahead the curve reaches: 24 hours, or less where no price is known",
  }),
  curve: z.array(CurvePoint).meta({ description: "Every increase ahead; the last point is an exit at `known_until`" }),
}).meta({ id: "Meter", description: "A running stay. Times carry the offset of the lot's own clock." });

export const CurrentSession = z.object({
  ...session,
  meter: z.union([Meter, UnknownFee]),
  can_exit_now: z.boolean().nullable().meta({ description: "Whether the car can leave; null when nobody has said" }),
  can_exit_changes_at: Timestamp.nullable().meta({
    description: "When that is next otherwise; null when not within 14 days",
  }),
}).meta({ id: "CurrentParkingSession" });

export const ParkingSessions = z.object({ items: z.array(ParkingSession), next_cursor: NextCursor, total: Total }).meta(
  {
    id: "ParkingSessions",
  },
);

const Phase = z.enum(["during", "after"]).meta({
  description: "A code of category `session_photo_phase`: while parked, or afterwards",
});
const Slot = z.int().min(1).max(4);

export const SessionPhoto = z.object({
  id: Id,
  phase: Phase,
  slot: Slot,
  asset_id: Id,
  storage_key: z.string(),
  content_type: z.string().nullable(),
  size_bytes: z.int().nullable(),
  created_at: Timestamp,
  url: z.url().meta({ description: "Where the picture is read for the next 600 seconds, by whoever has the address" }),
}).meta({ id: "SessionPhoto" });

const RulesOfStay = z.object({
  time_zone: z.string().meta({ examples: ["Asia/Tokyo"] }),
  holiday_calendar: z.string().nullable(),
  pricing_rules: z.array(PricingRule),
  pricing_groups: z.array(z.object({
    id: Id,
    code: z.string(),
    name: z.string(),
    is_default: z.boolean(),
    display_order: z.int(),
    vehicle_types: z.array(z.string()).nullable(),
  })),
  date_overrides: z.array(z.object({
    override_date: z.iso.date(),
    pricing: z.array(z.record(z.string(), z.unknown())).meta({ description: "Rows in the form of a PricingRule" }),
  })).meta({ description: "The dates of the stay that had prices of their own" }),
}).meta({ id: "RulesOfStay", description: "The lot's prices as they were when the session ended" });

export const ParkingSessionDetail = z.object({
  ...session,
  breakdown: z.union([Fee.shape.breakdown, UnknownFee]).nullable().meta({
    description: "How the amount came about; null unless the session has ended",
  }),
  rules: RulesOfStay.nullable(),
  photos: z.array(SessionPhoto).meta({ description: "Those of `during` first, slot by slot" }),
}).meta({ id: "ParkingSessionDetail" });

export const PhotoParams = z.strictObject({
  id: Id.meta({ description: "The session" }),
  phase: Phase,
  slot: Slot,
});

export const NewPhoto = z.strictObject({
  asset_id: Id.meta({ description: "An upload of category `session_photo`" }),
}).meta({ id: "NewSessionPhoto" });

export const SessionParams = z.strictObject({ id: Id.meta({ description: "The session" }) });

export const NewSession = z.strictObject({
  parking_lot_id: Id.meta({ description: "The lot; it must be open to the public" }),
  vehicle_id: Id.optional().meta({ description: "One of the caller's vehicles" }),
  vehicle_type: text(1, 50).optional().meta({
    description:
      "What it is charged as, a code of category `vehicle_type`; when absent what the vehicle is, without one `standard`",
  }),
  start_lat: z.number().min(-90).max(90).nullable().optional().meta({
    description: "Where the car stands; with `start_lng` or not at all",
  }),
  start_lng: z.number().min(-180).max(180).nullable().optional(),
  client_request_id: Id.optional().meta({
    description: "An id of the client's own for this start. Used again, it gives the session that it started",
  }),
}).meta({
  id: "NewParkingSession",
  dependentRequired: { start_lat: ["start_lng"], start_lng: ["start_lat"] },
});

export const StartedSession = z.object({ session_id: Id }).meta({ id: "StartedParkingSession" });

export const FinalizeSession = z.strictObject({
  exit_at: Moment.meta({ description: "When the car left: not before the start, at most 5 minutes from now" }),
  client_request_id: Id.optional().meta({
    description: "An id of the client's own for this end. Used again, it gives the same answer",
  }),
}).meta({ id: "FinalizeParkingSession" });

export const FinalizedSession = z.object({
  session_id: Id,
  total_amount: Amount.meta({ description: "In minor units of `currency`; null when the fee is not known" }),
  currency: z.string().meta({ examples: ["JPY"] }),
  breakdown: z.union([Fee.shape.breakdown, UnknownFee]),
}).meta({ id: "FinalizedParkingSession" });

export const CancelledSession = z.object({ cancelled: z.boolean() }).meta({ id: "CancelledParkingSession" });

export const SessionUpdate = z.strictObject({
  memo: Memo.meta({ description: "Left as it is when absent; null takes it away" }),
  personal_rating: PersonalRating.meta({
    description: "The driver's own word for it. Left as it is when absent; null takes it away",
  }),
}).meta({ id: "ParkingSessionUpdate" });

export const SessionsQuery = z.strictObject({
  limit: Limit,
  cursor: Cursor,
  status: SessionStatus.optional(),
  from: Moment.optional().meta({ description: "Begun then or later" }),
  to: Moment.optional().meta({ description: "Begun before then" }),
  parking_lot_id: Id.optional().meta({ description: "At this lot" }),
  include: IncludeTotal,
});

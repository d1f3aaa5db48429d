import { z } from "zod";
import { parking_sessions } from "../db/columns.ts";
import { blankableColumn } from "./columns.ts";
import { Fee, FeeNotes, FeePoint, FeeRefusal, FeeSurprises, PricingRule } from "./fees.ts";
import { Cursor, IncludeTotal, Limit, pageOf } from "./lists.ts";
import { Id, Moment, pathId, text, Timestamp } from "./values.ts";

const SessionStatus = z.enum(["parking", "ended", "cancelled"]).meta({
  id: "SessionStatus",
  description: "A code of category `session_status`. A user has at most one session with status `parking`.",
});

const Memo = blankableColumn(parking_sessions.memo).optional();
const PersonalRating = blankableColumn(parking_sessions.personal_rating).optional();
const Amount = z.int().min(0).nullable();

const UnknownFee = z.object({ refusal: FeeRefusal }).meta({ id: "UnknownFee" });

const session = {
  id: Id,
  user_id: Id,
  parking_lot_id: Id,
  parking_lot_name: z.string().meta({ description: "The current name of the lot" }),
  status: SessionStatus,
  vehicle_id: Id.nullable().meta({ description: "The caller's vehicle, if one was given" }),
  vehicle_type: z.string().nullable().meta({
    description: "The type that is charged, a code of category `vehicle_type`",
  }),
  started_at: Timestamp.nullable().meta({ description: "Start of the session, truncated to full seconds" }),
  ended_at: Timestamp.nullable().meta({ description: "When the car left. Null unless the session has ended." }),
  total_amount_minor: Amount.meta({
    description: "In minor units of `currency`. Null unless the session has ended and the fee is known.",
  }),
  currency: z.string().nullable().meta({ description: "Null unless the session has ended", examples: ["JPY"] }),
  memo: z.string().nullable(),
  personal_rating: z.string().nullable(),
  start_lat: z.number().nullable(),
  start_lng: z.number().nullable(),
  created_at: Timestamp,
  is_start_reported: z.boolean(),
};

export const ParkingSession = z.object(session).meta({ id: "ParkingSession" });

const Meter = z.object({
  amount: z.int().min(0).meta({ description: "Fee for an exit now, in minor units of `currency`" }),
  currency: z.string().meta({ examples: ["JPY"] }),
  next_increase_at: Timestamp.nullable().meta({
    description: "When the amount increases next. Null if not before `known_until`.",
  }),
  next_amount: z.int().min(0).nullable(),
  cap_reached: z.boolean().meta({ description: "Whether a maximum fee limits the amount now" }),
  known_until: Timestamp.meta({
    description: "End of the curve: 24 hours ahead, or earlier if the price is unknown from there on",
  }),
  curve: z.array(FeePoint).meta({ description: "Future increases. The last point is an exit at `known_until`." }),
  notes: FeeNotes.meta({ description: "On the curve" }),
  surprises: FeeSurprises.meta({ description: "Those ahead" }),
}).meta({
  id: "Meter",
  description: "Fee meter of a running session. Times have the UTC offset of the lot's time zone.",
});

export const CurrentSession = z.object({
  ...session,
  meter: z.union([Meter, UnknownFee]),
  can_exit_now: z.boolean().nullable().meta({ description: "Whether the car can leave now. Null if unknown." }),
  can_exit_changes_at: Timestamp.nullable().meta({
    description: "When `can_exit_now` changes next. Null if not within 14 days.",
  }),
}).meta({ id: "CurrentParkingSession" });

export const ParkingSessions = pageOf(ParkingSession, "ParkingSessions");

const Phase = z.enum(["during", "after"]).meta({
  description: "A code of category `session_photo_phase`: `during` parking, or `after` it",
});
const Slot = z.int().min(1).max(4).meta({ description: "The place of the photo among those of its phase" });

export const SessionPhoto = z.object({
  id: Id,
  phase: Phase,
  slot: Slot,
  asset_id: Id,
  storage_key: z.string(),
  content_type: z.string().nullable(),
  size_bytes: z.int().nullable(),
  created_at: Timestamp,
  url: z.url().meta({ description: "URL of the photo, valid for 600 seconds. It works without a token." }),
}).meta({ id: "SessionPhoto" });

/** Sessions that ended before rules had a field keep their rules without it. */
const RuleOfStay = PricingRule.partial({ effective_from: true, effective_to: true, max_units: true }).meta({
  id: "RuleOfStay",
});

const RulesOfStay = z.object({
  time_zone: z.string().meta({ examples: ["Asia/Tokyo"] }),
  holiday_calendar: z.string().nullable(),
  price_fixed_at_entry: z.boolean().optional().meta({ description: "Absent in sessions that ended before it existed" }),
  pricing_rules: z.array(RuleOfStay),
  pricing_groups: z.array(z.object({
    id: Id,
    code: z.string(),
    name: z.string(),
    is_default: z.boolean(),
    display_order: z.int(),
    vehicle_types: z.array(z.string()).nullable(),
    free_while_closed: z.boolean().optional(),
  })),
  date_overrides: z.array(z.object({
    override_date: z.iso.date(),
    pricing: z.array(z.record(z.string(), z.unknown())).meta({ description: "Rules in the format of a PricingRule" }),
  })).meta({ description: "Dates of the stay with special prices" }),
}).meta({ id: "RulesOfStay", description: "The lot's prices at the end of the session" });

export const ParkingSessionDetail = z.object({
  ...session,
  breakdown: z.union([Fee.shape.breakdown, UnknownFee]).nullable().meta({
    description: "Null unless the session has ended",
  }),
  rules: RulesOfStay.nullable(),
  photos: z.array(SessionPhoto).meta({ description: "Photos of `during` first, then by slot" }),
}).meta({ id: "ParkingSessionDetail" });

export const PhotoParams = z.strictObject({
  id: pathId("SessionId", "The session"),
  phase: Phase,
  slot: Slot,
});

export const NewPhoto = z.strictObject({
  asset_id: Id.meta({ description: "An upload of category `session_photo`" }),
}).meta({ id: "NewSessionPhoto" });

export const SessionParams = z.strictObject({ id: pathId("SessionId", "The session") });

export const NewSession = z.strictObject({
  parking_lot_id: Id.meta({ description: "The lot. It must be public." }),
  vehicle_id: Id.optional().meta({ description: "One of the caller's vehicles" }),
  vehicle_type: text(1, 50).optional().meta({
    description:
      "The vehicle type to charge, a code of category `vehicle_type`. Default: the type of the vehicle, otherwise " +
      "`standard`.",
  }),
  start_lat: z.number().min(-90).max(90).nullable().optional().meta({
    description: "Position of the car. Send it together with `start_lng`.",
  }),
  start_lng: z.number().min(-180).max(180).nullable().optional(),
  client_request_id: Id.optional().meta({
    description: "An id that the client creates for this start",
  }),
  started_at: Moment.optional().meta({
    description: "When the car came in, if the device was offline: at most a day ago, after the last session",
  }),
}).meta({
  id: "NewParkingSession",
  dependentRequired: { start_lat: ["start_lng"], start_lng: ["start_lat"] },
});

export const StartedSession = z.object({
  session_id: Id,
  status: SessionStatus,
}).meta({ id: "StartedParkingSession" });

export const FinalizeSession = z.strictObject({
  exit_at: Moment.meta({ description: "When the car left, from 5 minutes before the start to 5 minutes from now" }),
  client_request_id: Id.optional().meta({
    description: "An id that the client creates for this request",
  }),
}).meta({ id: "FinalizeParkingSession" });

export const FinalizedSession = z.object({
  session_id: Id,
  total_amount: Amount.meta({ description: "In minor units of `currency`. Null if the fee is unknown." }),
  currency: z.string().meta({ examples: ["JPY"] }),
  breakdown: z.union([Fee.shape.breakdown, UnknownFee]),
}).meta({ id: "FinalizedParkingSession" });

export const CancelledSession = z.object({ cancelled: z.boolean() }).meta({ id: "CancelledParkingSession" });

export const SessionUpdate = z.strictObject({
  memo: Memo.meta({ description: "Null clears it. If omitted, it does not change." }),
  personal_rating: PersonalRating.meta({
    description: "A free text of the user. Null clears it. If omitted, it does not change.",
  }),
}).meta({ id: "ParkingSessionUpdate" });

export const SessionsQuery = z.strictObject({
  limit: Limit,
  cursor: Cursor,
  status: SessionStatus.optional().meta({ description: "Only sessions with this status" }),
  from: Moment.optional().meta({ description: "Only sessions started at or after this time" }),
  to: Moment.optional().meta({ description: "Only sessions started before this time" }),
  parking_lot_id: Id.optional().meta({ description: "Only sessions at this lot" }),
  include: IncludeTotal,
});

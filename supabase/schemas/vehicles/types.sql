-- Types of vehicles: the vehicles and search presets of users, and where a vehicle fits.
-- They come before the tables, because columns, functions and other types use them.

create type private.vehicle as (
  height_m numeric,
  width_m numeric,
  length_m numeric,
  weight_t numeric,
  clearance_cm numeric,
  tire_width_mm numeric
);

comment on type private.vehicle is
  'The measures of a vehicle, or the limits of a lot for them. Limits are maxima, except for clearance_cm, which is a minimum. Null: not given, or unknown.';

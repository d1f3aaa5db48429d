-- Tables of sessions: stays of users, from the start to the fee.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in history.sql,
-- meter.sql, photos.sql, reminder_job.sql, reminders.sql and sessions.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Sessions
-- ---------------------------------------------------------------------------------------------------------------------

create table private.price_lists (
  id uuid primary key,
  rules jsonb not null
);

comment on table private.price_lists is
  'The prices by which stays were charged, each list stored once for all stays. A row is never changed and never deleted.';
comment on column private.price_lists.id is 'The first half of the SHA-256 of the list, as text.';

create table public.parking_sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.app_users (id) on delete set null,
  parking_lot_id uuid not null references public.parking_lots (id),
  status text not null default 'parking'
    constraint parking_sessions_status_known check (status in ('parking', 'ended', 'cancelled')),
  vehicle_id uuid references public.user_vehicles (id) on delete set null,
  vehicle_type text not null default 'standard'
    constraint parking_sessions_vehicle_type_length check (char_length(vehicle_type) between 1 and 50),
  started_at timestamptz not null default date_trunc('second', now()),
  ended_at timestamptz,
  total_amount_minor bigint constraint parking_sessions_total_not_negative check (total_amount_minor >= 0),
  currency text,
  breakdown jsonb,
  price_list_id uuid,
  memo text constraint parking_sessions_memo_length check (char_length(memo) between 1 and 1000),
  personal_rating text constraint parking_sessions_personal_rating_length check (char_length(personal_rating) between 1 and 50),
  start_lat double precision constraint parking_sessions_start_lat_bounds check (start_lat between -90 and 90),
  start_lng double precision constraint parking_sessions_start_lng_bounds check (start_lng between -180 and 180),
  client_request_id uuid,
  finalize_request_id uuid,
  created_at timestamptz not null default now(),
  is_start_reported boolean not null default false,
  constraint parking_sessions_start_whole check (num_nulls(start_lat, start_lng) in (0, 2)),
  constraint parking_sessions_request_once unique (user_id, client_request_id),
  constraint parking_sessions_ends_after_start check (ended_at >= started_at),
  constraint parking_sessions_end_whole check (
    case when status = 'ended' then num_nulls(ended_at, currency, breakdown, price_list_id) = 0
      and (total_amount_minor is null) = (breakdown ? 'refusal')
    else num_nonnulls(ended_at, total_amount_minor, currency, breakdown, price_list_id, finalize_request_id) = 0 end
  )
);

comment on constraint parking_sessions_start_whole on public.parking_sessions is 'Give start_lat and start_lng together.';
comment on table public.parking_sessions is 'Stays of users at lots, running and past.';
comment on column public.parking_sessions.user_id is 'Null when the user has left.';
comment on column public.parking_sessions.vehicle_id is 'The vehicle of the user; null when none was given.';
comment on column public.parking_sessions.vehicle_type is 'The vehicle type by which the stay is charged; a code of the category vehicle_type.';
comment on column public.parking_sessions.ended_at is 'When the car left, as the user reported; null until then, and for a cancelled session.';
comment on column public.parking_sessions.total_amount_minor is 'The fee of the stay, in minor units of currency; null when the stay has not ended, or when the fee is unknown.';
comment on column public.parking_sessions.breakdown is 'The explanation of the amount, as in calc-fee; {refusal} when the fee is unknown.';
comment on column public.parking_sessions.price_list_id is
  'The prices of the lot when the session ended, in private.price_lists. Not a foreign key: lists are never deleted.';
comment on column public.parking_sessions.client_request_id is 'The id that the client gave to the request that started the session.';
comment on column public.parking_sessions.finalize_request_id is 'The id that the client gave to the request that ended the session.';

comment on column public.parking_sessions.is_start_reported is
  'Whether started_at is what the device reported, because it had no connection at the start.';

-- At most one running session per user.
create unique index parking_sessions_one_running on public.parking_sessions (user_id) where status = 'parking';
-- The sessions of a user, newest first; and those of a user who is deleted.
create index parking_sessions_user_idx on public.parking_sessions (user_id, started_at desc, id desc);
-- The few cancelled sessions.
create index parking_sessions_cancelled_idx on public.parking_sessions (user_id, started_at desc, id desc)
  where status = 'cancelled';
-- The sessions at a lot.
create index parking_sessions_lot_idx on public.parking_sessions (parking_lot_id, user_id);
-- Finds the sessions of a vehicle that is deleted.
create index parking_sessions_vehicle_idx on public.parking_sessions (vehicle_id) where vehicle_id is not null;

-- Sessions are written in the order in which they start, so a summary of page ranges is enough. Rows that changed long
-- after (their user withdrew) are the outliers that the ranges keep apart.
create index parking_sessions_started_at_idx on public.parking_sessions using brin (started_at timestamptz_minmax_multi_ops)
  with (pages_per_range = 32, autosummarize = on);

alter table public.parking_sessions enable row level security;

-- Realtime checks only this policy, so it also excludes suspended users.
create policy "Users read their own sessions" on public.parking_sessions for select to authenticated
  using (
    (select auth.uid()) = user_id
    and exists (select from public.app_users u where u.id = (select auth.uid()) and u.status = 'active')
  );
-- Row security of parking_lots and user_vehicles applies inside: a user cannot park at a lot that they cannot see, or with a
-- vehicle of another user.
create policy "Users start sessions at active lots as themselves" on public.parking_sessions for insert to authenticated
  with check (
    (select auth.uid()) = user_id and (select true from public.parking_lots l where l.id = parking_lot_id)
    and (vehicle_id is null or (select true from public.user_vehicles v where v.id = vehicle_id))
  );
create policy "Users annotate their own sessions" on public.parking_sessions for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a session is history. Only private.end_session and private.cancel_session end and cancel it.

grant select (
  id, user_id, parking_lot_id, status, vehicle_id, vehicle_type, started_at, ended_at, total_amount_minor, currency,
  breakdown, price_list_id, memo, personal_rating, start_lat, start_lng, client_request_id, finalize_request_id, created_at, is_start_reported
), insert (user_id, parking_lot_id, vehicle_id, vehicle_type, start_lat, start_lng, client_request_id),
  update (memo, personal_rating) on public.parking_sessions to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reminders
-- ---------------------------------------------------------------------------------------------------------------------

create table private.session_reminders (
  session_id uuid primary key references public.parking_sessions (id) on delete cascade,
  look_at timestamptz not null default now(),
  watched_from timestamptz not null default now(),
  told_increase timestamptz,
  told_exit timestamptz,
  told_surprise timestamptz
);

comment on table private.session_reminders is 'The running sessions, and when the job checks each.';
comment on column private.session_reminders.watched_from is 'When the session was started or last changed: no reminder is sent for an increase less than 5 minutes later.';
comment on column private.session_reminders.told_increase is 'The increase of the last reminder; told_exit: the closing of the exit in the last reminder.';
comment on column private.session_reminders.told_surprise is 'When the last surprise begins that was sent: an earlier one is not sent.';

-- The sessions that are due.
create index session_reminders_look_at_idx on private.session_reminders (look_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Photos
-- ---------------------------------------------------------------------------------------------------------------------

create table public.parking_session_photos (
  id uuid primary key default gen_random_uuid(),
  session_id uuid not null references public.parking_sessions (id) on delete cascade,
  phase text not null constraint parking_session_photos_phase_known check (phase in ('during', 'after')),
  slot integer not null constraint parking_session_photos_slot_bounds check (slot between 1 and 4),
  asset_id uuid not null constraint parking_session_photos_asset_once unique references public.assets (id) on delete cascade,
  storage_key text not null,
  content_type text,
  size_bytes integer,
  created_at timestamptz not null default now(),
  constraint parking_session_photos_one_a_slot unique (session_id, phase, slot)
);

comment on table public.parking_session_photos is 'Pictures of sessions, by phase and slot.';
comment on column public.parking_session_photos.storage_key is 'The key of the upload; type and length are copied too.';

alter table public.parking_session_photos enable row level security;

-- Row security of parking_sessions applies inside.
create policy "Users see the photos of their own sessions" on public.parking_session_photos for select to authenticated
  using ((select true from public.parking_sessions s where s.id = session_id));
-- No insert, update or delete: private.put_session_photo and private.drop_session_photo write photos.

grant select (id, session_id, phase, slot, asset_id, storage_key, content_type, size_bytes, created_at)
  on public.parking_session_photos to authenticated;

-- Tables of the community: reviews, ratings, saved lots, votes on fields, occupancy and error reports of users.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in error_reports.sql,
-- field_provenance.sql, field_values.sql, occupancy.sql, ratings.sql, reviews.sql and saved_lots.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Reviews
-- ---------------------------------------------------------------------------------------------------------------------

create table public.reviews (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  user_id uuid references public.app_users (id) on delete set null,
  rating integer not null constraint reviews_rating_in_stars check (rating between 1 and 5),
  comment text constraint reviews_comment_length check (char_length(comment) <= 2000),
  status text not null default 'pending'
    constraint reviews_status_known check (status in ('pending', 'approved', 'rejected', 'hidden')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint reviews_one_a_user_and_lot unique (parking_lot_id, user_id)
);

comment on table public.reviews is 'Reviews of lots by users. Public when approved.';
comment on column public.reviews.user_id is 'The author; null when the author has left.';
comment on column public.reviews.comment is 'Null: stars only.';

-- The approved reviews of a lot, newest first.
create index reviews_approved_idx on public.reviews (parking_lot_id, created_at desc, id desc) where status = 'approved';
-- The reviews of a user, newest first; and those of a user who leaves.
create index reviews_user_id_idx on public.reviews (user_id, created_at desc, id desc) where user_id is not null;
-- The queue of the console for each status, oldest first.
create index reviews_status_idx on public.reviews (status, created_at, id);
-- The same of one lot; its approved reviews have an index above.
create index reviews_lot_status_idx on public.reviews (parking_lot_id, status, created_at, id) where status <> 'approved';

alter table public.reviews enable row level security;

-- Row security of parking_lots applies inside these: reviews of a lot that the caller cannot see are hidden.
create policy "Anonymous users read approved reviews of active lots" on public.reviews for select to anon
  using (status = 'approved' and (select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Users read approved reviews of active lots and their own" on public.reviews for select to authenticated
  using (
    (select auth.uid()) = user_id
    or (status = 'approved' and (select true from public.parking_lots l where l.id = parking_lot_id))
  );
create policy "Users review active lots as themselves" on public.reviews for insert to authenticated
  with check (
    (select auth.uid()) = user_id and status = 'pending'
    and (select true from public.parking_lots l where l.id = parking_lot_id)
  );
create policy "Users edit their own reviews" on public.reviews for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id and status = 'pending');
create policy "Users delete their own reviews" on public.reviews for delete to authenticated
  using ((select auth.uid()) = user_id);

grant select (id, parking_lot_id, user_id, rating, comment, status, created_at, updated_at)
  on public.reviews to anon, authenticated;
grant insert (parking_lot_id, user_id, rating, comment), update (rating, comment), delete
  on public.reviews to authenticated;

create table private.review_counts (
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  rating integer not null,
  count integer not null constraint review_counts_count_sign check (count >= 0),
  primary key (parking_lot_id, rating)
);

comment on table private.review_counts is 'The number of approved reviews of a lot with each number of stars. Triggers maintain it; without a row: none.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Ratings, saved lots and preferences
-- ---------------------------------------------------------------------------------------------------------------------

create table public.parking_lot_ratings (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  value text not null constraint parking_lot_ratings_value_known check (value in ('good', 'bad')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint parking_lot_ratings_one_a_user_and_lot unique (user_id, parking_lot_id)
);

comment on table public.parking_lot_ratings is 'Good or bad: the quick rating of a lot by a user.';

-- Counting the ratings of a lot reads nothing else.
create index parking_lot_ratings_lot_idx on public.parking_lot_ratings (parking_lot_id, value);

alter table public.parking_lot_ratings enable row level security;
create policy "Users read their own ratings" on public.parking_lot_ratings for select to authenticated
  using ((select auth.uid()) = user_id);
-- Row security of parking_lots applies inside: only lots that the caller can see can be rated or saved.
create policy "Users rate active lots as themselves" on public.parking_lot_ratings for insert to authenticated
  with check (
    (select auth.uid()) = user_id and (select true from public.parking_lots l where l.id = parking_lot_id)
  );
create policy "Users change their own ratings" on public.parking_lot_ratings for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "Users delete their own ratings" on public.parking_lot_ratings for delete to authenticated
  using ((select auth.uid()) = user_id);

grant select (id, user_id, parking_lot_id, value, created_at, updated_at), insert (user_id, parking_lot_id, value),
  update (value), delete on public.parking_lot_ratings to authenticated;

create table public.saved_parking_lots (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  created_at timestamptz not null default now(),
  constraint saved_parking_lots_one_a_user_and_lot unique (user_id, parking_lot_id)
);

comment on table public.saved_parking_lots is 'Lots that users saved.';

-- Finds the users who saved a lot that is deleted.
create index saved_parking_lots_lot_idx on public.saved_parking_lots (parking_lot_id);
-- The saved lots of a user, newest first.
create index saved_parking_lots_user_idx on public.saved_parking_lots (user_id, created_at desc, id desc);

alter table public.saved_parking_lots enable row level security;
create policy "Users read the lots that they saved" on public.saved_parking_lots for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users save active lots for themselves" on public.saved_parking_lots for insert to authenticated
  with check (
    (select auth.uid()) = user_id and (select true from public.parking_lots l where l.id = parking_lot_id)
  );
create policy "Users delete their own saved lots" on public.saved_parking_lots for delete to authenticated
  using ((select auth.uid()) = user_id);
-- No update: a lot is saved or it is not.

grant select (id, user_id, parking_lot_id, created_at), insert (user_id, parking_lot_id), delete
  on public.saved_parking_lots to authenticated;

create table public.search_preferences (
  user_id uuid primary key references public.app_users (id) on delete cascade,
  yen_per_walk_minute integer not null
    constraint search_preferences_yen_per_walk_minute_bounds check (yen_per_walk_minute between 0 and 500),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.search_preferences is 'The weights of a user for search results. Without a row: the default weights.';
comment on column public.search_preferences.yen_per_walk_minute is 'The value of one minute of walking for the user, in yen.';

alter table public.search_preferences enable row level security;
create policy "Users read their own preferences" on public.search_preferences for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users set their own preferences" on public.search_preferences for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own preferences" on public.search_preferences for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a preference is changed, and is deleted with its user.

grant select (user_id, yen_per_walk_minute, created_at, updated_at), insert (user_id, yen_per_walk_minute),
  update (yen_per_walk_minute) on public.search_preferences to authenticated;

create table public.parking_lot_rating_counts (
  parking_lot_id uuid primary key references public.parking_lots (id) on delete cascade,
  good_count integer not null constraint parking_lot_rating_counts_good_count_sign check (good_count >= 0),
  bad_count integer not null constraint parking_lot_rating_counts_bad_count_sign check (bad_count >= 0)
);

comment on table public.parking_lot_rating_counts is
  'The numbers of good and bad ratings of a lot. Triggers maintain it; without a row: the lot has no ratings.';

alter table public.parking_lot_rating_counts enable row level security;

-- Row security of parking_lots applies inside: counts of a lot that the caller cannot see are hidden.
create policy "Everyone reads the rating counts of active lots" on public.parking_lot_rating_counts
  for select to anon, authenticated using ((select true from public.parking_lots l where l.id = parking_lot_id));
-- No insert, update or delete: triggers maintain the counts.

grant select (parking_lot_id, good_count, bad_count) on public.parking_lot_rating_counts to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Field values
-- ---------------------------------------------------------------------------------------------------------------------

create table public.field_values (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  field_name text not null constraint field_values_field_name_form check (field_name ~ '^[a-z][a-z0-9_]{0,62}$'),
  value jsonb not null,
  state text not null default 'unverified'
    constraint field_values_state_known check (state in ('unverified', 'confirmed', 'disputed', 'retired')),
  is_primary boolean not null default true,
  source text constraint field_values_source_length check (char_length(source) between 1 and 100),
  licence text constraint field_values_licence_length check (char_length(licence) between 1 and 200),
  confirm_count integer not null default 0 check (confirm_count >= 0),
  deny_count integer not null default 0 check (deny_count >= 0),
  last_verified_at timestamptz,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint field_values_retired_is_not_primary check (not (is_primary and state = 'retired'))
);

comment on table public.field_values is 'Values of fields of lots that have votes, or that the service stored.';
comment on column public.field_values.is_primary is 'Whether this is the current value of the field.';
comment on column public.field_values.source is 'The first source of the value; licence is the licence for its redistribution.';
comment on column public.field_values.last_verified_at is 'The time of the latest confirmation that counts.';
comment on column public.field_values.decided_at is 'When an administrator confirmed it: earlier votes do not affect its state. Null: no administrator confirmed it.';

-- At most one current value per field; also the current values of a lot.
create unique index field_values_one_primary on public.field_values (parking_lot_id, field_name) where is_primary;
-- Finds all values of a lot that is changed or deleted.
create index field_values_lot_idx on public.field_values (parking_lot_id);

-- The console's list: disputed values first, oldest first in each state. A lot has few values, with an index.
create index field_values_rank_idx on public.field_values (private.field_value_rank(state), created_at, id);

alter table public.field_values enable row level security;

-- Row security of parking_lots applies inside: values of a lot that the caller cannot see are hidden.
create policy "Everyone reads the field values of active lots" on public.field_values for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
-- No insert, update or delete: triggers copy values from the row of the lot and maintain the counts of votes.

grant select (
  id, parking_lot_id, field_name, value, state, is_primary, source, licence, confirm_count, deny_count, last_verified_at,
  created_at, updated_at
) on public.field_values to anon, authenticated;

create table public.field_value_votes (
  field_value_id uuid not null references public.field_values (id) on delete cascade,
  user_id uuid not null references public.app_users (id) on delete cascade,
  vote text not null constraint field_value_votes_vote_known check (vote in ('confirm', 'deny')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (field_value_id, user_id)
);

comment on table public.field_value_votes is 'Votes of users on field values: one vote per user and value.';

-- Finds the votes of a user who is deleted.
create index field_value_votes_user_id_idx on public.field_value_votes (user_id);

alter table public.field_value_votes enable row level security;
create policy "Users read their own votes" on public.field_value_votes for select to authenticated
  using ((select auth.uid()) = user_id);
-- Row security of field_values applies inside.
create policy "Users vote as themselves on current values of active lots" on public.field_value_votes
  for insert to authenticated
  with check (
    (select auth.uid()) = user_id
    and (select v.state <> 'retired' from public.field_values v where v.id = field_value_id)
  );
create policy "Users change their own votes" on public.field_value_votes for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a vote is changed.

grant select (field_value_id, user_id, vote, created_at, updated_at), insert (field_value_id, user_id, vote),
  update (vote) on public.field_value_votes to authenticated;

create table private.waiting_votes (
  field_value_id uuid not null,
  user_id uuid not null,
  primary key (field_value_id, user_id),
  foreign key (field_value_id, user_id) references public.field_value_votes (field_value_id, user_id) on delete cascade
);

comment on table private.waiting_votes is 'The votes that do not count yet, because their voters are not confirmed, or not for long enough.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Occupancy
-- ---------------------------------------------------------------------------------------------------------------------

create table public.occupancy_reports (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  source text not null constraint occupancy_reports_source_known check (source in ('driver', 'operator', 'sensor')),
  user_id uuid references public.app_users (id) on delete set null,
  state text not null constraint occupancy_reports_state_known check (state in ('available', 'crowded', 'full')),
  free_spaces integer constraint occupancy_reports_free_spaces_bounds check (free_spaces between 0 and 1000000),
  occupancy_ratio numeric constraint occupancy_reports_occupancy_ratio_bounds check (occupancy_ratio between 0 and 1),
  reported_at timestamptz not null default now(),
  is_sample boolean not null default true,
  created_at timestamptz not null default now(),
  constraint occupancy_reports_only_drivers_are_people check (source = 'driver' or user_id is null),
  constraint occupancy_reports_full_has_no_space check ((state = 'full') = (free_spaces = 0))
) with (fillfactor = 80); -- a feed's report is updated in place: no index has a column that changes

comment on table public.occupancy_reports is 'The occupancy of lots: the latest report of each reporter.';
comment on column public.occupancy_reports.state is 'Derived from the other two when it is not given: full without free spaces, crowded from 90 % on.';
comment on column public.occupancy_reports.occupancy_ratio is '1 is full. Derived from free_spaces where the total of the lot is known.';
comment on column public.occupancy_reports.is_sample is 'Counted in the forecast: the first report of its reporter in an hour.';

-- One report per user and lot; one per feed and lot. Users who have left are not reporters any more.
create unique index occupancy_reports_one_a_driver on public.occupancy_reports (user_id, parking_lot_id) where user_id is not null;
create unique index occupancy_reports_one_a_feed on public.occupancy_reports (parking_lot_id, source) where source <> 'driver';
-- The reports of a lot.
create index occupancy_reports_lot_idx on public.occupancy_reports (parking_lot_id);

alter table public.occupancy_reports enable row level security;
create policy "Users read their own reports" on public.occupancy_reports for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: private.report_as_driver makes a report, and the next one corrects it.

grant select (id, parking_lot_id, source, user_id, state, free_spaces, occupancy_ratio, reported_at, created_at)
  on public.occupancy_reports to authenticated;

create table private.occupancy_hours (
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  hour_of_week smallint not null check (hour_of_week between 0 and 167),
  samples integer not null,
  full_count integer not null,
  crowded_count integer not null,
  ratio_count integer not null,
  ratio_sum numeric not null,
  primary key (parking_lot_id, hour_of_week)
);

comment on table private.occupancy_hours is 'Sums of the samples of a lot by hour of its week; hour 0 begins on Sunday at midnight.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Error reports
-- ---------------------------------------------------------------------------------------------------------------------

create table public.error_reports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.app_users (id) on delete set null,
  parking_lot_id uuid references public.parking_lots (id) on delete set null,
  parking_lot_name text not null constraint error_reports_lot_name_length check (char_length(parking_lot_name) between 1 and 200),
  report_type text not null constraint error_reports_report_type_known check (report_type in (
    'price', 'hours', 'location', 'name_or_address', 'capacity', 'vehicle_limits', 'features', 'image', 'closed',
    'duplicate', 'missing', 'other'
  )),
  severity text constraint error_reports_severity_known check (severity in ('low', 'medium', 'high', 'critical')),
  status text not null default 'open'
    constraint error_reports_status_known check (status in ('open', 'in_review', 'resolved', 'rejected')),
  description text constraint error_reports_description_length check (char_length(description) between 1 and 2000),
  assigned_admin_id uuid references public.admins (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint error_reports_author_has_described check (user_id is null or description is not null)
);

comment on table public.error_reports is
  'Reports of users that the data of a lot are wrong. Evidence is in assets, by entity.';
comment on column public.error_reports.user_id is 'The author; null after the author has withdrawn.';
comment on column public.error_reports.description is 'The text of the author; null after the author has withdrawn.';
comment on column public.error_reports.assigned_admin_id is
  'The administrator who works on it; never returned to the author.';
comment on column public.error_reports.parking_lot_id is
  'The lot; null when it is missing in the service or was deleted since.';
comment on column public.error_reports.parking_lot_name is 'The name of the lot when it was reported.';

-- The reports of a user, newest first; also for the withdrawal.
create index error_reports_user_id_idx on public.error_reports (user_id, created_at desc, id desc) where user_id is not null;
-- The console's queue of each status, oldest first: of all, and one index for each filter. The indexes by lot and by
-- administrator also find the reports of one that is deleted.
create index error_reports_status_idx on public.error_reports (status, created_at, id);
create index error_reports_severity_idx on public.error_reports (severity, status, created_at, id) where severity is not null;
create index error_reports_parking_lot_id_idx on public.error_reports (parking_lot_id, status, created_at, id)
  where parking_lot_id is not null;
create index error_reports_assigned_admin_id_idx on public.error_reports (assigned_admin_id, status, created_at, id)
  where assigned_admin_id is not null;

alter table public.error_reports enable row level security;
create policy "Users read their own reports" on public.error_reports for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users report as themselves" on public.error_reports for insert to authenticated
  with check ((select auth.uid()) = user_id and status = 'open');
-- No update, no delete: the content of a report does not change; administrators change its status.

grant select (id, user_id, parking_lot_id, parking_lot_name, report_type, severity, status, description, created_at, updated_at),
  insert (user_id, parking_lot_id, parking_lot_name, report_type, severity, description)
  on public.error_reports to authenticated;

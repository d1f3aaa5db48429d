-- Tables of rewards: experience points, levels, badges and themes.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in badge_backfill.sql,
-- badge_conditions.sql, badges.sql, exp.sql, level_recalculation.sql, theme_rewards.sql and themes.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Experience points and levels
-- ---------------------------------------------------------------------------------------------------------------------

create table private.exp_rules (
  id integer generated always as identity primary key,
  reason text collate "C" not null,
  activity_type text collate "C" constraint exp_rules_one_an_activity unique,
  amount integer not null constraint exp_rules_amount_bounds check (amount between 1 and 10000),
  daily_limit integer constraint exp_rules_daily_limit_bounds check (daily_limit between 1 and 1000),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint exp_rules_one_a_cause unique nulls not distinct (reason, activity_type)
);

comment on table private.exp_rules is
  'For what points are given, and how many. An edit counts from then on; entries stay as they are.';
comment on column private.exp_rules.activity_type is
  'The activity that is the cause; null: not an activity, the domain calls private.give_exp.';
comment on column private.exp_rules.daily_limit is 'The number of sources that count for a user in a day; null: no limit.';

grant select, insert, update, delete on private.exp_rules to service_role;

create table public.levels (
  level integer primary key constraint levels_level_bounds check (level between 1 and 10000),
  required_exp integer not null constraint levels_required_exp_bounds check (required_exp between 0 and 1000000000),
  name text constraint levels_name_length check (char_length(name) between 1 and 50),
  name_en text constraint levels_name_en_length check (char_length(name_en) between 1 and 50),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint levels_first_is_free check ((level = 1) = (required_exp = 0))
);

comment on constraint levels_first_is_free on public.levels is
  'required_exp must be 0 for the first level, and above 0 for the others.';
comment on table public.levels is 'The points at which a user reaches a level; they increase with the level (triggers).';
comment on column public.levels.name is 'In Japanese; name_en is the English name.';

alter table public.levels enable row level security;
create policy "Authenticated users read the levels" on public.levels for select to authenticated using (true);

grant select (level, required_exp, name, name_en, created_at, updated_at) on public.levels to authenticated;

create table public.exp_entries (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  reason text collate "C" not null,
  source_type text not null,
  source_id uuid not null,
  turn integer not null default 1 constraint exp_entries_turn_positive check (turn >= 1),
  -- A mistyped adjustment cannot fill the sum and make later activities fail.
  amount integer not null constraint exp_entries_amount_bounds check (amount between -1000000 and 1000000),
  given_on date not null default (now() at time zone 'Asia/Tokyo')::date,
  created_at timestamptz not null default clock_timestamp(),
  constraint exp_entries_one_a_source_and_turn unique (user_id, reason, source_type, source_id, turn),
  constraint exp_entries_turn_has_sign check (reason = 'adjustment' or (turn % 2 = 1) = (amount > 0))
);

comment on table public.exp_entries is 'Points that users were given and points that were taken back.';
comment on column public.exp_entries.reason is 'A code of exp_reason.';
comment on column public.exp_entries.source_type is 'What source_id refers to: the activity type, or the cause.';
comment on column public.exp_entries.source_id is
  'The row that was the cause. Not a foreign key: the entry outlives the row.';
comment on column public.exp_entries.turn is
  'The number of the entry of its source: odd ones give, even ones take it back.';
comment on column public.exp_entries.given_on is 'The day in Japan.';

-- The first activity of a day counts once, for any activity.
create unique index exp_entries_first_of_day_idx on public.exp_entries (user_id, given_on) where reason = 'first_of_day';
-- The entries of a user, newest first.
create index exp_entries_user_idx on public.exp_entries (user_id, created_at desc, id desc);
-- The entries of a user today.
create index exp_entries_day_idx on public.exp_entries (user_id, given_on, reason);

alter table public.exp_entries enable row level security;
create policy "Users read their own points" on public.exp_entries for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: entries come from private.give_exp and stay.

grant select (id, user_id, reason, source_type, source_id, turn, amount, given_on, created_at)
  on public.exp_entries to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Recalculation of levels
-- ---------------------------------------------------------------------------------------------------------------------

create table private.level_recalculation (
  is_only boolean primary key default true constraint level_recalculation_one_row check (is_only),
  last_user_id uuid,
  done_users integer not null default 0,
  total_users integer not null,
  changed_users integer not null default 0,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz
);

comment on table private.level_recalculation is 'The recalculation of levels: running until it has finished_at.';
comment on column private.level_recalculation.last_user_id is 'Users up to this id are processed.';
comment on column private.level_recalculation.total_users is
  'Number of users when it started; at the end the number that was processed.';
comment on column private.level_recalculation.changed_users is 'Number of users whose sum or level differed.';

grant select on private.level_recalculation to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Badges
-- ---------------------------------------------------------------------------------------------------------------------

create table public.badges (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint badges_name_length check (char_length(name) between 1 and 100),
  name_en text constraint badges_name_en_length check (char_length(name_en) between 1 and 100),
  description text not null constraint badges_description_length check (char_length(description) between 1 and 500),
  description_en text constraint badges_description_en_length check (char_length(description_en) between 1 and 500),
  icon text not null constraint badges_icon_length check (char_length(icon) between 1 and 100),
  category text not null constraint badges_category_token check (category ~ '^[a-z][a-z_]{0,49}$'),
  conditions jsonb not null,
  threshold integer not null constraint badges_threshold_bounds check (threshold between 1 and 1000000),
  is_active boolean not null default true,
  sort_order integer not null default 0 constraint badges_sort_order_bounds check (sort_order between -1000000 and 1000000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on constraint badges_category_token on public.badges is
  'category must be 1 to 50 lower-case letters and underscores, for example parking.';
comment on table public.badges is 'Badges that users can earn. Migration badge_conditions describes the conditions.';
comment on column public.badges.name is 'In Japanese, as the description; name_en and description_en are in English.';
comment on column public.badges.icon is 'The name of a picture in the app.';
comment on column public.badges.threshold is 'The progress at which a user earns it.';
comment on column public.badges.is_active is 'False: counts nothing, and only users who have it can see it.';

alter table public.badges enable row level security;

-- Users who have an inactive badge can still read it; the functions decide which ones they return.
create policy "Authenticated users read the badges" on public.badges for select to authenticated using (true);

grant select (
  id, name, name_en, description, description_en, icon, category, threshold, is_active, sort_order, created_at, updated_at
) on public.badges to authenticated;

create table public.user_badges (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  badge_id uuid not null references public.badges (id) on delete restrict,
  earned_at timestamptz not null default now() constraint user_badges_earned_at_has_four_digit_year
    check (earned_at >= timestamptz '0001-01-01 00:00:00+00' and earned_at < timestamptz '10000-01-01 00:00:00+00'),
  constraint user_badges_once unique (user_id, badge_id)
);

comment on table public.user_badges is 'The badges that users have earned.';

create index user_badges_badge_id_idx on public.user_badges (badge_id);
-- The badges of a user, the latest first.
create index user_badges_user_idx on public.user_badges (user_id, earned_at desc, id desc);

alter table public.user_badges enable row level security;

-- Realtime checks only this policy: it also shuts out suspended users.
create policy "Users read their own badges" on public.user_badges for select to authenticated
  using (
    (select auth.uid()) = user_id
    and exists (select from public.app_users u where u.id = (select auth.uid()) and u.status = 'active')
  );

grant select (id, user_id, badge_id, earned_at) on public.user_badges to authenticated;

create table public.user_badge_progress (
  user_id uuid not null references public.app_users (id) on delete cascade,
  badge_id uuid not null references public.badges (id) on delete cascade,
  count integer not null default 0 constraint user_badge_progress_count_sign check (count >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, badge_id)
);

comment on table public.user_badge_progress is 'The progress of users. Without a row: nothing counted yet.';

create index user_badge_progress_badge_id_idx on public.user_badge_progress (badge_id);

alter table public.user_badge_progress enable row level security;
create policy "Users read their own progress" on public.user_badge_progress for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: users earn badges.

grant select (user_id, badge_id, count, created_at, updated_at) on public.user_badge_progress to authenticated;

create table private.badge_marks (
  user_id uuid not null,
  badge_id uuid not null,
  mark text collate "C" not null,
  primary key (user_id, badge_id, mark),
  foreign key (user_id, badge_id) references public.user_badge_progress (user_id, badge_id) on delete cascade
);

comment on table private.badge_marks is
  'The counted marks until the badge is earned: kind:subject, lot:id or day:YYYY-MM-DD, each once.';

create table private.kept_reviews (
  review_id uuid primary key,
  user_id uuid not null references public.app_users (id) on delete cascade,
  parking_lot_id uuid not null,
  rating integer not null,
  created_at timestamptz not null
);

comment on table private.kept_reviews is
  'Approved reviews that were deleted with their lot: they still count for their authors.';

create index kept_reviews_user_id_idx on private.kept_reviews (user_id);

create table private.badge_errors (
  badge_id uuid not null references public.badges (id) on delete cascade,
  error text not null,
  first_seen_at timestamptz not null default now(),
  primary key (badge_id, error)
);

comment on table private.badge_errors is 'Badges with invalid conditions, noted when something could have counted.';

grant select, delete on private.badge_errors to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Backfill of badges
-- ---------------------------------------------------------------------------------------------------------------------

create table private.badge_backfills (
  badge_id uuid primary key references public.badges (id) on delete cascade,
  had_other_conditions boolean not null default false,
  last_user_id uuid,
  done_users integer not null default 0,
  total_users integer not null,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz
);

comment on table private.badge_backfills is 'The rebuild of each badge: running until it has finished_at.';
comment on column private.badge_backfills.had_other_conditions is
  'Users who are not processed may have marks of former conditions: only the rebuild gives them the badge.';
comment on column private.badge_backfills.last_user_id is 'Users up to this id are processed.';
comment on column private.badge_backfills.total_users is
  'Number of users when it started; at the end the number that was processed.';

grant select on private.badge_backfills to service_role;

-- Everything that can count, from the original tables.
create view private.badge_sources with (security_invoker = true) as
select l.user_id, l.activity_type as kind, coalesce(l.subject_id, l.id) as subject_id, l.parking_lot_id, l.metadata, l.created_at
from private.activities l where l.is_rewarded
union all
select r.user_id, 'review_approved', r.id, r.parking_lot_id, jsonb_build_object('rating', r.rating), r.created_at
from public.reviews r where r.status = 'approved' and r.user_id is not null
union all
select k.user_id, 'review_approved', k.review_id, k.parking_lot_id, jsonb_build_object('rating', k.rating), k.created_at
from private.kept_reviews k
union all
select e.user_id, 'error_report_resolved', e.id, e.parking_lot_id, jsonb_build_object('report_type', e.report_type), e.created_at
from public.error_reports e where e.status = 'resolved' and e.user_id is not null;

comment on view private.badge_sources is 'Activities and current states, as badges count them.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Themes
-- ---------------------------------------------------------------------------------------------------------------------

create table public.themes (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint themes_name_length check (char_length(name) between 1 and 100),
  description text constraint themes_description_length check (char_length(description) between 1 and 1000),
  is_free boolean not null default false,
  price_yen_minor integer constraint themes_price_bounds check (price_yen_minor between 1 and 1000000),
  -- Every user has the first level.
  unlock_level integer constraint themes_unlock_level_bounds check (unlock_level between 2 and 10000),
  unlock_badge_id uuid references public.badges (id) on delete set null,
  preview_asset_id uuid references public.assets (id) on delete set null,
  sort_order integer not null default 0 constraint themes_sort_order_bounds check (sort_order between -1000000 and 1000000),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint themes_free_has_no_price check (not is_free or price_yen_minor is null)
);

comment on constraint themes_free_has_no_price on public.themes is 'price_yen_minor must be null for a free theme.';
comment on table public.themes is 'Themes of the app.';
comment on column public.themes.price_yen_minor is 'Its price; null: it is not sold.';
comment on column public.themes.unlock_level is
  'The level that earns it; null: none.';
comment on column public.themes.unlock_badge_id is 'The badge that earns it; null: none.';
comment on column public.themes.is_active is 'Whether it is offered. Lists return an inactive theme only to its owners.';

create index themes_preview_asset_id_idx on public.themes (preview_asset_id) where preview_asset_id is not null;

create index themes_unlock_badge_id_idx on public.themes (unlock_badge_id) where unlock_badge_id is not null;

alter table public.themes enable row level security;

grant select (
  id, name, description, is_free, price_yen_minor, unlock_level, unlock_badge_id, preview_asset_id, sort_order, is_active,
  created_at, updated_at
) on public.themes to authenticated;

create table public.user_themes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  theme_id uuid not null references public.themes (id),
  acquisition_type text not null constraint user_themes_acquisition_type_known
    check (acquisition_type in ('free', 'purchase', 'gift', 'reward', 'subscription')),
  is_applied boolean not null default false,
  acquired_at timestamptz not null default now() constraint user_themes_acquired_at_has_four_digit_year
    check (acquired_at >= timestamptz '0001-01-01 00:00:00+00' and acquired_at < timestamptz '10000-01-01 00:00:00+00'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint user_themes_owned_once unique (user_id, theme_id)
);

comment on table public.user_themes is 'Which user owns which theme, and its origin.';

create unique index user_themes_one_applied on public.user_themes (user_id) where is_applied;
create index user_themes_theme_id_idx on public.user_themes (theme_id);

alter table public.user_themes enable row level security;
create policy "Users read active themes and their own" on public.themes for select to authenticated using (
  is_active or (select true from public.user_themes o where o.theme_id = themes.id and o.user_id = (select auth.uid()))
);
create policy "Users read their own themes" on public.user_themes for select to authenticated
  using ((select auth.uid()) = user_id);

grant select (id, user_id, theme_id, acquisition_type, is_applied, acquired_at, created_at, updated_at)
  on public.user_themes to authenticated;

create table public.theme_gifts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  theme_id uuid not null references public.themes (id),
  admin_id uuid references public.admins (id) on delete set null,
  message text constraint theme_gifts_message_length check (char_length(message) between 1 and 500),
  created_at timestamptz not null default now()
);

comment on table public.theme_gifts is 'Themes that administrators gave to users.';
comment on column public.theme_gifts.admin_id is 'The administrator who gave it.';

create index theme_gifts_user_id_idx on public.theme_gifts (user_id, created_at desc, id desc);
create index theme_gifts_theme_id_idx on public.theme_gifts (theme_id);
create index theme_gifts_admin_id_idx on public.theme_gifts (admin_id) where admin_id is not null;

alter table public.theme_gifts enable row level security;
create policy "Users read their own gifts" on public.theme_gifts for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: functions of the service write ownership, and one function applies a theme.

-- Clients cannot read which administrator gave it.
grant select (id, user_id, theme_id, message, created_at) on public.theme_gifts to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Themes that are earned
-- ---------------------------------------------------------------------------------------------------------------------

create table private.theme_grants (
  theme_id uuid primary key references public.themes (id) on delete cascade,
  last_user_id uuid,
  done_users integer not null default 0,
  started_at timestamptz not null default now(),
  finished_at timestamptz
);

comment on table private.theme_grants is
  'Jobs that give a theme to users who have earned it already: running until finished_at.';
comment on column private.theme_grants.last_user_id is 'Users up to this id are processed.';

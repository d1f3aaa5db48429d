-- Tables of AI search: answers of geocoders, keys of users, and the log.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in ai_search.sql.

create table private.geocoded_places (
  geocoder text collate "C" not null,
  search_text text collate "C" not null constraint geocoded_places_text_length check (char_length(search_text) between 1 and 200),
  name text,
  lat double precision,
  lng double precision,
  found_at timestamptz not null default now(),
  primary key (geocoder, search_text),
  constraint geocoded_places_whole check (num_nulls(name, lat, lng) in (0, 3))
);

comment on table private.geocoded_places is 'Answers of geocoders, for 30 days; without a place: there is none.';

create index geocoded_places_found_at_idx on private.geocoded_places (found_at); -- the purge

create table private.geocoder_turns (
  id boolean primary key default true constraint geocoder_turns_one_row check (id),
  next_at timestamptz not null default '-infinity'
);

comment on table private.geocoder_turns is 'When the next request to a geocoder may be sent: one row.';

create table private.ai_requests (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.app_users (id) on delete set null,
  form text collate "C" not null constraint ai_requests_form_known check (form in ('query', 'message')),
  lang text collate "C" not null,
  text_length integer not null,
  text text,
  outcome text collate "C" not null constraint ai_requests_outcome_known check (outcome in ('answered', 'need_info', 'unparseable')),
  parser text collate "C" not null constraint ai_requests_parser_known check (parser in ('model', 'rules')),
  model text,
  prompt_version text,
  confidence numeric not null,
  attempts jsonb not null default '[]',
  prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0,
  cost numeric,
  currency text,
  latency_ms integer not null,
  created_at timestamptz not null default now()
);

comment on table private.ai_requests is 'Searches in words: the parser that answered, and the cost. For 90 days.';
comment on column private.ai_requests.text is
  'The text of the request; null unless AI_LOG_TEXT is on. Removed after 30 days.';
comment on column private.ai_requests.attempts is 'Models in the order in which they were tried: [{model, outcome, latency_ms, prompt_tokens, completion_tokens}].';
comment on column private.ai_requests.cost is 'By the prices of the setting AI_PRICES, in currency; null: unknown.';

create index ai_requests_user_id_idx on private.ai_requests (user_id) where user_id is not null;
create index ai_requests_created_at_idx on private.ai_requests (created_at);

create table private.ai_keys (
  user_id uuid not null references public.app_users (id) on delete cascade,
  provider_id text collate "C" not null constraint ai_keys_provider_id_form check (provider_id ~ '^[a-z0-9][a-z0-9_-]{0,39}$'),
  secret_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, provider_id)
);

comment on table private.ai_keys is 'Users'' own keys of AI providers; the keys are in the vault.';
comment on column private.ai_keys.provider_id is 'The part before the slash in the names of the provider''s models.';

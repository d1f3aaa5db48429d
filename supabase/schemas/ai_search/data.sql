-- Data of AI search: rate limits and how long rows are kept.
-- They are written once, when the tables, rules and triggers exist.

-- A search in words starts with the caller's keys: that call counts against the rate limit.
insert into private.rate_limit_policies (name, quota, premium_quota, daily_quota, window_seconds, comment, commands) values
  ('ai_search', 10, 60, 2000, 60, 'Searches in words', '{list_my_ai_keys, register_ai_key}'),
  ('ai_search_guest', 10, null, 500, 60, 'Searches in words without an account, by network', '{}'),
  ('ai_search_refused', 60, null, 2000, 60, 'Searches in words that are refused with 422, instead of the policies above', '{}');

insert into private.geocoder_turns default values;

insert into private.retentions (table_name, condition, change) values
  ('private.geocoded_places', 't.found_at < now() - interval ''30 days''', null),
  ('private.ai_requests', 't.created_at < now() - interval ''90 days''', null),
  ('private.ai_requests', 't.text is not null and t.created_at < now() - interval ''30 days''', 'text = null');

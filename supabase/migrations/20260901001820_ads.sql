-- Advertisements of the app's placements, shown as often as their weights say.
--
-- The order of a list is random, as a function of the advertisement and a seed. With u = (first 52 bits of md5(seed ':' id)
-- + 1/2) / 2^52, a number between 0 and 1, the list is ordered by -ln(u) / weight, smallest first. That is a weighted
-- sample without replacement: an advertisement of weight w is first in w of every sum(w) seeds, and so on for the following
-- places.
-- The same seed gives the same order. An advertisement that is added or removed leaves the others in their order, so pages
-- neither repeat nor lose one. Without a seed it is the day in Tokyo; a cursor keeps its seed after midnight.
--
-- Invariants: lists contain only active advertisements in their period.
-- Interface: api.list_ads. Administrators write the rows (api.admin_create_ad and related functions).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.ads (
  id uuid primary key default gen_random_uuid(),
  placement text not null constraint ads_placement_known
    check (placement in ('home_top', 'map', 'search_results', 'lot_detail', 'session_end', 'article')),
  title text not null constraint ads_title_length check (char_length(title) between 1 and 100),
  body text constraint ads_body_length check (char_length(body) <= 500),
  image_url text constraint ads_image_url_form check (image_url ~ '^https?://[!-~]+$' and length(image_url) <= 2000),
  link_url text constraint ads_link_url_form check (link_url ~ '^https?://[!-~]+$' and length(link_url) <= 2000),
  weight integer not null default 100 constraint ads_weight_bounds check (weight between 1 and 10000),
  starts_at timestamptz not null default now(),
  ends_at timestamptz,
  is_active boolean not null default true,
  was_shown boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint ads_ends_after_start check (ends_at > starts_at),
  -- Dates that the interface can express: no infinity.
  constraint ads_times_have_four_digit_years
    check (starts_at >= timestamptz '0001-01-01 00:00:00+00' and ends_at < timestamptz '10000-01-01 00:00:00+00')
);

comment on table public.ads is 'Advertisements, with their period and weight.';
comment on column public.ads.weight is 'How often it is first, relative to the weights of the others of its placement.';
comment on column public.ads.ends_at is 'The end of its period; null: no end.';
comment on column public.ads.is_active is 'False for one that is stopped, in its period too.';
comment on column public.ads.was_shown is
  'Whether it was returned to clients before its last change; private.tg_timed_rows__note_shown sets it.';

create index ads_placement_idx on public.ads (placement, starts_at) where is_active;

create trigger _100_touch_updated_at before update on public.ads
  for each row execute function private.tg_touch_updated_at();
create trigger _200_note_shown before update on public.ads
  for each row execute function private.tg_timed_rows__note_shown();

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.ads enable row level security;

create policy "Everyone reads running advertisements" on public.ads for select to anon, authenticated
  using (is_active and starts_at <= now() and (ends_at is null or ends_at > now()));

-- No insert, update or delete for clients: administrators write advertisements.

grant select (
  id, placement, title, body, image_url, link_url, weight, starts_at, ends_at, is_active
) on public.ads to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function private.ad_rank(p_ad_id uuid, p_weight integer, p_seed text) returns double precision
language sql immutable parallel safe
return -ln(
  (('x' || left(md5(p_seed || ':' || p_ad_id::text), 13))::bit(52)::bigint + 0.5::double precision) / 4503599627370496
) / p_weight;

comment on function private.ad_rank(uuid, integer, text) is
  'The position of an advertisement among others with this seed: smallest first.';

grant execute on function private.ad_rank(uuid, integer, text) to anon, authenticated;

create function api.list_ads(
  p_placement text default null, p_seed text default null, p_limit integer default 20, p_cursor text default null,
  p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'ads', 'placement', p_placement, 'seed', p_seed);
  v_after jsonb := private.cursor_decode(v_filters, p_cursor, '{text,double precision,uuid}');
  v_seed text := coalesce(p_seed, v_after ->> 0, (now() at time zone 'Asia/Tokyo')::date::text);
begin
  perform private.page_limit(p_limit);
  if p_placement not in ('home_top', 'map', 'search_results', 'lot_detail', 'session_end', 'article') then
    perform private.raise_error('validation_error', 422, 'placement must be home_top, map, search_results, lot_detail, session_end or article.', p_param => 'placement');
  elsif char_length(p_seed) not between 1 and 64 then
    perform private.raise_error('validation_error', 422, 'seed must have 1 to 64 characters.', p_param => 'seed');
  end if;
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object(
      'id', r.id, 'placement', r.placement, 'title', r.title, 'body', r.body, 'image_url', r.image_url,
      'link_url', r.link_url, 'starts_at', r.starts_at, 'ends_at', r.ends_at, 'seed', v_seed, 'rank', r.rank
    ) order by r.rank, r.id)
    from (
      select a.id, a.placement, a.title, a.body, a.image_url, a.link_url, a.starts_at, a.ends_at, k.rank
      from public.ads a
      cross join lateral (select private.ad_rank(a.id, a.weight, v_seed) as rank) k
      where a.is_active and a.starts_at <= now() and (a.ends_at is null or a.ends_at > now())
        and (p_placement is null or a.placement = p_placement)
        and (v_after is null or (k.rank, a.id) > ((v_after ->> 1)::double precision, (v_after ->> 2)::uuid))
      order by k.rank, a.id
      limit p_limit + 1
    ) r
  ), '{seed,rank,id}', p_limit) || jsonb_build_object('seed', v_seed) || case when 'total' = any (p_include) then jsonb_build_object('total', (
      select count(*) from public.ads a
      where a.is_active and a.starts_at <= now() and (a.ends_at is null or a.ends_at > now())
        and (p_placement is null or a.placement = p_placement)
    )) else '{}' end;
end
$$;

comment on function api.list_ads(text, text, integer, text, text[]) is
  'The active advertisements in their period, of a placement or all, in the weighted order of the seed (default: the day in Tokyo): {items, next_cursor, seed}, and total when p_include has it. Reads only. Errors: validation_error.';

grant execute on function api.list_ads(text, text, integer, text, text[]) to anon, authenticated;

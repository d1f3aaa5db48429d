-- Tables of reference: codes, articles and advertisements.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in ads.sql,
-- articles.sql and codes.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Codes
-- ---------------------------------------------------------------------------------------------------------------------

create table public.code_categories (
  id text collate "C" primary key constraint code_categories_id_form check (id ~ '^[a-z][a-z0-9_]*$'),
  description text not null constraint code_categories_description_length check (char_length(description) between 1 and 200),
  is_open boolean not null default false
);

comment on table public.code_categories is 'The code lists of the service.';
comment on column public.code_categories.description is 'The purpose of the list, and which field has its codes.';
comment on column public.code_categories.is_open is 'Whether administrators add and withdraw codes: no constraint and no function names them.';

-- No further index: the rows of a language are most of a small table, and the edge caches the reply.

alter table public.code_categories enable row level security;
create policy "Anyone reads the lists" on public.code_categories
for select to anon, authenticated using (true);

-- No insert, update or delete for clients: migrations and administrators write the code master.

grant select (id, description) on public.code_categories to anon, authenticated;

create table public.codes (
  category_id text collate "C" not null references public.code_categories (id),
  code text collate "C" not null constraint codes_code_form check (code ~ '^[A-Za-z0-9][A-Za-z0-9_.]*$'),
  lang text collate "C" not null constraint codes_lang_known check (lang in ('ja', 'en')),
  display_label text not null constraint codes_display_label_length check (char_length(display_label) between 1 and 100),
  sort_order integer not null,
  metadata jsonb constraint codes_metadata_form check (
    jsonb_typeof(metadata) = 'object' and coalesce(jsonb_typeof(metadata -> 'color'), 'null') in ('string', 'null')
    and coalesce(jsonb_typeof(metadata -> 'logo_url'), 'null') in ('string', 'null')
    and coalesce(jsonb_typeof(metadata -> 'url'), 'null') in ('string', 'null')
  ),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (category_id, code, lang)
);

comment on constraint codes_code_form on public.codes is
  'code must be letters, digits, _ and full stops, and begin with a letter or digit.';
comment on constraint codes_metadata_form on public.codes is
  'metadata must be an object whose color, logo_url and url are texts or null.';
comment on table public.codes is 'The codes of each list with their labels: one row for each code and language.';
comment on column public.codes.sort_order is 'The position in the list, the same in every language. Sizes and levels are ordered from small to large.';
comment on column public.codes.metadata is 'What a client may use to draw the code: color (#rrggbb), logo_url, url. Clients always get all three: null where the row has none.';
comment on column public.codes.is_active is 'False for a code that is no longer offered; old rows may still have it.';

alter table public.codes enable row level security;
create policy "Anyone reads the codes in use" on public.codes
for select to anon, authenticated using (is_active);

grant select (category_id, code, lang, display_label, sort_order, metadata, is_active) on public.codes to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Articles
-- ---------------------------------------------------------------------------------------------------------------------

create table public.articles (
  id uuid primary key default gen_random_uuid(),
  slug text collate "C" not null
    constraint articles_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 100),
  locale text collate "C" not null constraint articles_locale_known check (locale in ('ja', 'en')),
  title text not null constraint articles_title_length check (char_length(title) between 1 and 200),
  summary text constraint articles_summary_length check (char_length(summary) <= 500),
  body text not null constraint articles_body_length check (char_length(body) between 1 and 100000),
  cover_image_url text
    constraint articles_cover_image_url_form check (cover_image_url ~ '^https?://[!-~]+$' and length(cover_image_url) <= 2000),
  tags text[] not null default '{}' constraint articles_tags_bounds
    check (
      cardinality(tags) <= 20 and array_position(tags, null) is null
      and not jsonb_path_exists(to_jsonb(tags), '$[*] ? (!(@ like_regex "^.{1,50}$" flag "s"))')
    ),
  published_at timestamptz
    constraint articles_published_at_has_four_digit_year check (published_at >= timestamptz '0001-01-01 00:00:00+00'),
  withdrawn_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint articles_one_a_slug_and_locale unique (slug, locale),
  constraint articles_withdrawn_after_published check (withdrawn_at is null or coalesce(withdrawn_at >= published_at, false))
);

comment on constraint articles_slug_form on public.articles is
  'slug must be lower case letters and digits with single - between them, at most 100 characters.';
comment on constraint articles_cover_image_url_form on public.articles is
  'cover_image_url must be an http or https address in ASCII, of at most 2000 characters.';
comment on constraint articles_tags_bounds on public.articles is 'tags must be at most 20 texts of 1 to 50 characters.';
comment on constraint articles_withdrawn_after_published on public.articles is 'withdrawn_at must not be before published_at.';
comment on constraint articles_published_at_has_four_digit_year on public.articles is
  'published_at must be in the years 1 to 9999.';
comment on table public.articles is 'Articles for users, in each language.';
comment on column public.articles.body is 'Markdown.';
comment on column public.articles.published_at is 'The start of publication; null for a draft.';
comment on column public.articles.withdrawn_at is 'The end of publication; null while it is not withdrawn.';

create index articles_published_idx on public.articles (locale, published_at desc, id desc)
  where published_at is not null;

-- For the console's list; there are thousands of articles, so other filters need no index.
create index articles_created_idx on public.articles (created_at desc, id desc);

alter table public.articles enable row level security;
create policy "Everyone reads published articles" on public.articles for select to anon, authenticated
  using (published_at <= now() and (withdrawn_at is null or withdrawn_at > now()));

-- No insert, update or delete for clients: administrators write articles.

grant select (
  id, slug, locale, title, summary, body, cover_image_url, tags, published_at, withdrawn_at, created_at, updated_at
) on public.articles to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Advertisements
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

comment on constraint ads_image_url_form on public.ads is
  'image_url must be an http or https address in ASCII, of at most 2000 characters.';
comment on constraint ads_link_url_form on public.ads is
  'link_url must be an http or https address in ASCII, of at most 2000 characters.';
comment on constraint ads_ends_after_start on public.ads is 'ends_at must be after starts_at.';
comment on constraint ads_times_have_four_digit_years on public.ads is 'starts_at and ends_at must be in the years 1 to 9999.';
comment on table public.ads is 'Advertisements, with their period and weight.';
comment on column public.ads.weight is 'How often it is first, relative to the weights of the others of its placement.';
comment on column public.ads.ends_at is 'The end of its period; null: no end.';
comment on column public.ads.is_active is 'False for one that is stopped, in its period too.';
comment on column public.ads.was_shown is
  'Whether it was returned to clients before its last change; private.tg_timed_rows__note_shown sets it.';

create index ads_placement_idx on public.ads (placement, starts_at) where is_active;

-- For the console's list; there are thousands of advertisements, so other filters need no index.
create index ads_created_idx on public.ads (created_at desc, id desc);

alter table public.ads enable row level security;
create policy "Everyone reads running advertisements" on public.ads for select to anon, authenticated
  using (is_active and starts_at <= now() and (ends_at is null or ends_at > now()));

-- No insert, update or delete for clients: administrators write advertisements.

grant select (
  id, placement, title, body, image_url, link_url, weight, starts_at, ends_at, is_active
) on public.ads to anon, authenticated;

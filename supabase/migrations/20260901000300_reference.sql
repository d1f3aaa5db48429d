-- Reference: the code master, the one place in which a code of this service has a display name.
--
-- A category is a list (vehicle_type, review_status, ...); a code is one of its values. Each code has one row per language.
-- Clients show display_label and send code. Domains that store a code have a constraint of their own, and a test keeps the
-- two lists equal. Migrations insert the rows (reference_data); administrators change labels.
--
-- Invariants: a code has at most one row per language; codes are ASCII identifiers and never change their meaning.
-- A code that is no longer offered is kept with is_active false, because old rows still use it.
--
-- Interface: api.list_codes(lang).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.code_categories (
  id text collate "C" primary key constraint code_categories_id_form check (id ~ '^[a-z][a-z0-9_]*$'),
  description text not null constraint code_categories_description_length check (char_length(description) between 1 and 200),
  is_open boolean not null default false
);

comment on table public.code_categories is 'The code lists of the service.';
comment on column public.code_categories.description is 'The purpose of the list, and which field has its codes.';
comment on column public.code_categories.is_open is 'Whether administrators add and withdraw codes: no constraint and no function names them.';

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

comment on table public.codes is 'The codes of each list with their labels: one row for each code and language.';
comment on column public.codes.sort_order is 'The position in the list, the same in every language. Sizes and levels are ordered from small to large.';
comment on column public.codes.metadata is 'What a client may use to draw the code: color (#rrggbb), logo_url, url. Clients always get all three: null where the row has none.';
comment on column public.codes.is_active is 'False for a code that is no longer offered; old rows may still have it.';

create trigger _100_touch_updated_at before update on public.codes
  for each row execute function private.tg_touch_updated_at();

-- No further index: the rows of a language are most of a small table, and the edge caches the reply.

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.code_categories enable row level security;
alter table public.codes enable row level security;

create policy "Anyone reads the lists" on public.code_categories
for select to anon, authenticated using (true);

create policy "Anyone reads the codes in use" on public.codes
for select to anon, authenticated using (is_active);

-- No insert, update or delete for clients: migrations and administrators write the code master.

grant select (id, description) on public.code_categories to anon, authenticated;
grant select (category_id, code, lang, display_label, sort_order, metadata, is_active) on public.codes to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.require_lang(p_lang text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if p_lang is null or p_lang not in ('ja', 'en') then
    perform private.raise_error('validation_error', 422, 'lang must be ja or en.', p_param => 'lang');
  end if;
  return p_lang;
end
$$;

comment on function private.require_lang(text) is 'Returns a language of the service, ja or en. Errors: validation_error.';

create function private.in_lang(p_lang text, p_text text, p_text_en text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return case p_lang when 'en' then coalesce(p_text_en, p_text) else p_text end;
end
$$;

comment on function private.in_lang(text, text, text) is 'A text in the language; a text without English is returned in Japanese.';

grant execute on function private.require_lang(text), private.in_lang(text, text, text) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_codes(p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_lang(p_lang);
  return (
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object(
            'category_id', category_id, 'code', code, 'display_label', display_label, 'lang', lang,
            'sort_order', sort_order, 'metadata', '{"color": null, "logo_url": null, "url": null}'::jsonb || metadata
          )
          order by category_id, sort_order, code
        ),
        '[]'
      ),
      'lang', p_lang
    )
    from public.codes
    where lang = p_lang and is_active
  );
end
$$;

comment on function api.list_codes(text) is
  'Every active code with its label in the language, by category, sort_order and code. metadata is null, or has color, logo_url and url. Reads only. Errors: validation_error.';

grant execute on function api.list_codes(text) to anon, authenticated;

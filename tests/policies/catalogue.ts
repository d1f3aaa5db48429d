// Project rules that are checked in the database catalogue. Each query returns the objects that break its rule.
// "Ours" are the schemas public, api, commands and private, without what extensions brought.

export interface CatalogueRule {
  /** The guarantee, as a sentence. */
  readonly guarantee: string;
  /** Gives one column, `broken`: the objects that break the rule, in words. */
  readonly query: string;
  /** A change to the schema that breaks the rule, and the only thing the query then names. */
  readonly proof: readonly [change: string, broken: string];
}

/** Moments whose names the contract gives. */
const CONTRACT_MOMENTS = "'next_billing_date', 'original_purchase_date'";

const TABLES = `
  select c.oid, c.relname from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;

const FUNCTIONS = `
  select p.*, n.nspname, p.oid::regprocedure::text as signature, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as source
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('public', 'api', 'commands', 'private')
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

/** The back office calls these by rpc, with the names of their arguments. */
const NAMED_BY_SPECIFICATION = [
  "api.backfill_badge_progress",
  "api.evaluate_badge_conditions",
  "api.vault_insert_secret",
  "api.vault_read_secret",
];

/** The acts that private.save_row and private.delete_row record for the type with which a function calls them: ad.create. */
const SAVED_ACTS = `
  select f.signature, c.call[2] || v.verb as code
  from (${FUNCTIONS}) f
  cross join lateral regexp_matches(prosrc, '(save|delete)(?:_unique)?_row\\(\\s*[a-z_]+,\\s*''([a-z_]+)''', 'g') as c (call)
  cross join lateral unnest(
    case c.call[1] when 'save' then array['.create', '.update'] else array['.delete'] end
  ) as v (verb)`;

/** What administrators call through the function `admin`, and the back office by name. */
const CONSOLE = `select * from (${FUNCTIONS}) f where nspname = 'api' and proname like 'admin\\_%'`;

export const catalogueRules: readonly CatalogueRule[] = [
  {
    guarantee: "every table has row security",
    query: `
      select t.relname as broken from (${TABLES}) t join pg_class c on c.oid = t.oid where not c.relrowsecurity`,
    proof: ["alter table public.codes disable row level security", "codes"],
  },
  {
    guarantee: "every table says in a comment what it holds",
    query: `
      select relname as broken from (${TABLES}) t where obj_description(oid, 'pg_class') is null`,
    proof: ["comment on table public.codes is null", "codes"],
  },
  {
    guarantee: "every table has a primary key",
    query: `
      select relname as broken from (${TABLES}) t
      where not exists (select from pg_constraint where conrelid = t.oid and contype = 'p')`,
    proof: ["alter table public.codes drop constraint codes_pkey", "codes"],
  },
  {
    guarantee: "every foreign key leads an index",
    query: `
      select conrelid::regclass || '.' || conname as broken from pg_constraint f
      where contype = 'f' and connamespace in ('public'::regnamespace, 'private'::regnamespace)
        and not exists (
          select from pg_index i
          where i.indrelid = f.conrelid and i.indisvalid
            and (i.indkey::int2[])[0:cardinality(f.conkey) - 1] @> f.conkey
        )`,
    proof: ["drop index public.parking_lot_tags_tag_id_idx", "parking_lot_tags.parking_lot_tags_tag_id_fkey"],
  },
  {
    guarantee: "every moment is a timestamptz named _at, but for those that the contract names otherwise",
    query: `
      select t.relname || '.' || a.attname as broken
      from (${TABLES}) t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      where (a.atttypid = 'timestamptz'::regtype) <> (a.attname like '%\\_at') and a.attname not in (${CONTRACT_MOMENTS})
        or a.atttypid = 'timestamp'::regtype`,
    proof: ["alter table public.codes add column made timestamptz", "codes.made"],
  },
  {
    guarantee: "the schemas of the interface hold functions and nothing else",
    query: `
      select c.oid::regclass::text as broken from pg_class c where c.relnamespace in ('api'::regnamespace, 'commands'::regnamespace)
      union all
      select t.oid::regtype::text from pg_type t where t.typnamespace in ('api'::regnamespace, 'commands'::regnamespace) and t.typrelid = 0`,
    proof: ["create sequence api.numbers", "api.numbers"],
  },
  {
    guarantee: "no client is granted a table, view or sequence of a schema that is not public",
    query: `
      select c.oid::regclass || ' to ' || coalesce(r.rolname, 'public') as broken
      from pg_class c
      cross join lateral (
        select grantee from aclexplode(c.relacl)
        union
        select grantee from pg_attribute a cross join lateral aclexplode(a.attacl) where a.attrelid = c.oid
      ) as given
      left join pg_roles r on r.oid = given.grantee
      where c.relnamespace in ('private'::regnamespace, 'api'::regnamespace, 'commands'::regnamespace)
        and (given.grantee = 0 or r.rolname in ('anon', 'authenticated'))`,
    proof: [
      "create table private.secrets (id integer); grant select (id) on private.secrets to authenticated",
      "private.secrets to authenticated",
    ],
  },
  {
    guarantee: "every function of the interface that a client may execute runs as its caller",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where nspname in ('api', 'commands') and (prokind <> 'f' or prosecdef and exists (
        select from aclexplode(proacl) a left join pg_roles r on r.oid = a.grantee
        where a.grantee = 0 or r.rolname in ('anon', 'authenticated')
      ))`,
    proof: ["alter function api.my_account() security definer", "api.my_account()"],
  },
  {
    guarantee: "every function of the interface says in a comment what it does and which errors it raises",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where nspname in ('api', 'commands') and coalesce(obj_description(oid, 'pg_proc'), '') !~ 'Errors: |[Rr]aises no errors'`,
    proof: ["comment on function api.list_codes(text) is 'Lists codes.'", "api.list_codes(text)"],
  },
  {
    guarantee: "every function that acts for its caller is granted to clients",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where nspname in ('api', 'commands') and source ~ 'private\\.(active_user|writing_user)\\('
        and not has_function_privilege('authenticated', f.oid, 'execute')`,
    proof: [
      "revoke all on function api.list_my_vehicles(integer, text, text[]) from authenticated",
      "api.list_my_vehicles(integer,text,text[])",
    ],
  },
  {
    guarantee: "no function of the interface has an overload",
    query: `
      select proname as broken from (${FUNCTIONS}) f where nspname in ('api', 'commands') group by proname having count(*) > 1`,
    proof: [
      `create function api.list_codes(p_lang text, p_category_id text) returns jsonb language sql as 'select null::jsonb'`,
      "list_codes",
    ],
  },
  {
    guarantee: "what clients call by themselves only reads, but for what counts requests",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where nspname = 'api' and provolatile = 'v' and proname not in ('run_command', 'read_counted', 'take_request') and exists (
        select from aclexplode(proacl) a join pg_roles r on r.oid = a.grantee where r.rolname in ('anon', 'authenticated')
      )`,
    proof: ["alter function api.my_account() volatile", "api.my_account()"],
  },
  {
    guarantee: "anonymous clients and the service run no command",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where nspname = 'commands' and exists (
        select from aclexplode(proacl) a join pg_roles r on r.oid = a.grantee where r.rolname in ('anon', 'service_role')
      )`,
    proof: [
      "grant execute on function commands.withdraw_my_account() to anon",
      "commands.withdraw_my_account()",
    ],
  },
  {
    guarantee: "no function of ours is executable by public",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) a where a.grantee = 0)`,
    proof: ["grant execute on function private.scopes_of(uuid) to public", "private.scopes_of(uuid)"],
  },
  {
    // The names in a body that begins with "return" or "begin atomic" were looked up when it was created. A function with a
    // search path is not inlined, which nearby_ranking and usability have to be; their own names are all qualified (tools/lint_sql/rules.ts).
    guarantee: "no function of ours looks names up in a search path",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where prosqlbody is null and proname not in ('nearby_ranking', 'usability') and not coalesce(proconfig, '{}') && array['search_path=""', 'search_path=']`,
    proof: ["alter function private.caller() reset search_path", "private.caller()"],
  },
  {
    guarantee: "outside of private and of the interface no function runs with its owner's rights",
    query: `
      select signature as broken from (${FUNCTIONS}) f where prosecdef and nspname not in ('private', 'api')`,
    proof: [
      `create function public.leak() returns text language sql security definer set search_path = '' as 'select null'`,
      "leak()",
    ],
  },
  {
    guarantee: "no trigger function is granted to a client",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where prorettype = 'trigger'::regtype
        and exists (
          select from aclexplode(proacl) a join pg_roles r on r.oid = a.grantee where r.rolname in ('anon', 'authenticated')
        )`,
    proof: [
      "grant execute on function private.tg_users__sync_admin() to authenticated",
      "private.tg_users__sync_admin()",
    ],
  },
  {
    guarantee: "every argument of a function is named p_ and its field, but where the specification names it",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where pronargs > 0 and nspname || '.' || proname <> all ('{${NAMED_BY_SPECIFICATION}}') and (
        proargnames is null
        or exists (
          select from unnest(proargnames[1:pronargs]) as name where name !~ '^p_[a-z0-9_]+$'
        )
      )`,
    proof: [
      `create function private.double(amount integer) returns integer language sql set search_path = '' as 'select 2 * amount';
       revoke all on function private.double(integer) from public`,
      "private.double(integer)",
    ],
  },
  {
    guarantee: "trigger functions are private and named tg_, nothing else is",
    query: `
      select signature as broken from (${FUNCTIONS}) f
      where (prorettype = 'trigger'::regtype) <> (proname ~ '^tg_[a-z_]+$')
        or (prorettype = 'trigger'::regtype and nspname <> 'private')`,
    proof: [
      `create function private.touch() returns trigger language plpgsql set search_path = '' as 'begin return new; end';
       revoke all on function private.touch() from public`,
      "private.touch()",
    ],
  },
  {
    guarantee: "triggers are numbered and named by their task",
    query: `
      select t.tgrelid::regclass || '.' || t.tgname as broken
      from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_namespace n on n.oid = p.pronamespace
      where not t.tgisinternal and n.nspname in ('public', 'private') and t.tgname !~ '^_[0-9]{3}_[a-z_]+$'`,
    proof: [
      "alter trigger _100_touch_updated_at on public.app_users rename to touch",
      "app_users.touch",
    ],
  },
  {
    guarantee: "a table with updated_at keeps it by trigger",
    query: `
      select t.relname as broken from (${TABLES}) t
      join pg_attribute a on a.attrelid = t.oid and a.attname = 'updated_at' and not a.attisdropped
      where not exists (
        select from pg_trigger g
        where g.tgrelid = t.oid and g.tgfoid = 'private.tg_touch_updated_at'::regproc and g.tgenabled <> 'D'
      )`,
    proof: ["drop trigger _100_touch_updated_at on public.app_users", "app_users"],
  },
  {
    guarantee: "every policy is for one command, for named roles, and named as a sentence",
    query: `
      select tablename || ': ' || policyname as broken from pg_policies
      where schemaname = 'public'
        and (cmd = 'ALL' or 'public' = any (roles) or policyname !~ '^[A-Z][^ ]*( [^ ]+){2,}$')`,
    proof: ["create policy admins_all on public.admins to authenticated using (false)", "admins: admins_all"],
  },
  {
    // Their own record tells administrators that they are, and so what to do.
    guarantee: "a policy that opens rows to administrators opens them to a session with a second factor only",
    query: `
      select tablename || ': ' || policyname as broken from pg_policies
      where qual like '%admins%' and tablename <> 'admins' and qual not like '%private.has_second_factor()%'`,
    proof: [
      `alter policy "Administrators of store sync read the runs" on public.store_sync_runs
         using (exists (select from public.admins a where a.id = (select auth.uid())))`,
      "store_sync_runs: Administrators of store sync read the runs",
    ],
  },
  {
    guarantee: "no table has two policies of a kind for the same command and role",
    query: `
      select tablename || ' ' || cmd || ' ' || role as broken
      from pg_policies cross join unnest(roles) as role
      where schemaname = 'public' group by tablename, cmd, role, permissive having count(*) > 1`,
    proof: [
      `create policy "Strangers read accounts too" on public.app_users for select to authenticated using (false)`,
      "app_users SELECT authenticated",
    ],
  },
  {
    // app_users: its own policy checks the status of the row, which is the caller's.
    guarantee: "only active people write: every command that clients have on a table has a restrictive policy",
    query: `
      select p.tablename || ' ' || p.cmd as broken from pg_policies p
      where p.schemaname = 'public' and p.permissive = 'PERMISSIVE' and p.cmd in ('INSERT', 'UPDATE', 'DELETE')
        and p.tablename <> 'app_users' and not exists (
          select from pg_policies r
          where r.schemaname = 'public' and r.tablename = p.tablename and r.cmd = p.cmd and r.permissive = 'RESTRICTIVE'
            and r.roles @> p.roles and coalesce(r.qual, r.with_check) like '%private.is_active_user()%'
        )`,
    proof: [
      `drop policy "Only active users delete" on public.saved_parking_lots`,
      "saved_parking_lots DELETE",
    ],
  },
  {
    guarantee: "no function swallows errors that it does not name",
    query: `
      select signature as broken from (${FUNCTIONS}) f where source ~* 'exception\\s+when\\s+others|when\\s+others\\s+then'`,
    proof: [
      `create function private.deaf() returns void language plpgsql set search_path = ''
         as 'begin perform 1; exception when others then null; end';
       revoke all on function private.deaf() from public`,
      "private.deaf()",
    ],
  },
  {
    guarantee: "every function of the console has the administrator as its first argument, without a default",
    query: `
      select signature as broken from (${CONSOLE}) f
      where proargnames[1] is distinct from 'p_admin_id' or proargtypes[0] <> 'uuid'::regtype or pronargdefaults = pronargs`,
    proof: [
      `create function api.admin_list_all(p_id uuid) returns jsonb language plpgsql stable set search_path = ''
         as 'declare n int;\nbegin\n  perform private.check_admin(p_admin_id, null);\nend';
       revoke all on function api.admin_list_all(uuid) from public`,
      "api.admin_list_all(uuid)",
    ],
  },
  {
    // A value of the declarations that is computed from the arguments could be rejected before the administrator is checked.
    guarantee:
      "every function of the console checks the administrator first: lock_admin where it writes, else check_admin",
    query: `
      select signature as broken
      from (
        select *, split_part(prosrc, '\nbegin\n', 1) as declared, substr(prosrc, strpos(prosrc, '\nbegin\n') + 7) as body,
          case provolatile when 'v' then 'lock' else 'check' end as wanted
        from (${CONSOLE}) f
      ) f
      where strpos(prosrc, '\nbegin\n') = 0
        or body !~ format('^(\\s*--[^\n]*\n)*\\s*perform private\\.%s_admin\\(p_admin_id, (null|''[a-z_]+'')\\);', wanted)
        or declared ~ 'private\\.(cursor_decode|page_start|raise_error|require_[a-z_]+|check_[a-z_]+)\\('`,
    proof: [
      "alter function api.admin_list_notifications(uuid, boolean, text[], text, integer) volatile",
      "api.admin_list_notifications(uuid,boolean,text[],text,integer)",
    ],
  },
  {
    guarantee: "only the service executes functions of the console",
    query: `
      select signature || ' to ' || coalesce(r.rolname, 'public') as broken
      from (${CONSOLE}) f
      cross join lateral aclexplode(coalesce(proacl, acldefault('f', proowner))) a left join pg_roles r on r.oid = a.grantee
      where a.grantee <> proowner and r.rolname is distinct from 'service_role'`,
    proof: [
      "grant execute on function api.admin_list_notifications(uuid, boolean, text[], text, integer) to authenticated",
      "api.admin_list_notifications(uuid,boolean,text[],text,integer) to authenticated",
    ],
  },
  {
    guarantee: "every act that a function records is a code of the category admin_action",
    query: `
      select signature || ': ' || a.code[1] as broken
      from (${FUNCTIONS}) f
      cross join lateral regexp_matches(source, 'record_[a-z_]*act\\(\\s*[a-z_]+,\\s*''([^'']*)''', 'g') as a (code)
      where not exists (select from public.codes c where c.category_id = 'admin_action' and c.code = a.code[1])`,
    proof: [
      `create function private.wrong_act(p_admin_id uuid) returns void language plpgsql set search_path = ''
         as $$ begin perform private.record_act(p_admin_id, 'review.praise', 'review', null); end $$;
       revoke all on function private.wrong_act(uuid) from public`,
      "private.wrong_act(uuid): review.praise",
    ],
  },
  {
    guarantee: "every row of the console is saved and deleted with acts that are codes of the category admin_action",
    query: `
      select signature || ': ' || a.code as broken
      from (${SAVED_ACTS}) a
      where not exists (select from public.codes c where c.category_id = 'admin_action' and c.code = a.code)`,
    proof: [
      `create function private.wrong_row(p_admin_id uuid) returns void language plpgsql set search_path = ''
         as $$ begin perform private.delete_row(p_admin_id, 'review', null::public.reviews); end $$;
       revoke all on function private.wrong_row(uuid) from public`,
      "private.wrong_row(uuid): review.delete",
    ],
  },
  {
    // A code is in the function that records it, or is concatenated: of the type of a row that is saved or deleted, or of
    // private.content_action('code', …), and of a verb.
    guarantee: "every code of the category admin_action is recorded by some function",
    query: `
      with f as materialized (
        select proname, source from (${FUNCTIONS}) f where source ~ '(record_[a-z_]*act|save(_unique)?_row|content_action)'
          or proname = 'content_action'
      ), a as materialized (${SAVED_ACTS})
      select distinct c.code as broken
      from public.codes c
      cross join lateral (select split_part(c.code, '.', 1) as target, '.' || split_part(c.code, '.', 2) as verb) p
      where c.category_id = 'admin_action' and not exists (
        select from f
        where source ~ '(record_[a-z_]*act|save(_unique)?_row)\\(' and strpos(source, quote_literal(c.code)) > 0
      ) and not exists (
        select from a where a.code = c.code
      ) and not exists (
        select from f
        join f g on g.proname = 'content_action' and strpos(g.source, quote_literal(p.verb)) > 0
        where f.source ~ format('(save(_unique)?_row\\(\\s*[a-z_]+,\\s*|content_action\\()%L', p.target)
      )`,
    proof: [
      `select private.add_admin_actions('[["review.praise", "レビューの称賛", "Praised a review"]]')`,
      "review.praise",
    ],
  },
];

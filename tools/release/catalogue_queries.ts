// The queries of a catalogue. Each returns name, parent and properties; search_path is empty.

/** Schemas of the hosted platform and of its extensions. */
const PLATFORM_SCHEMAS = [
  "_analytics",
  "_realtime",
  "auth",
  "cron",
  "extensions",
  "graphql",
  "graphql_public",
  "information_schema",
  "net",
  "pgbouncer",
  "pgmq",
  "pgsodium",
  "pgsodium_masks",
  "pgtle",
  "realtime",
  "storage",
  "supabase_functions",
  "supabase_migrations",
  "vault",
];
/** Extensions that the platform installs and no migration needs. */
const PLATFORM_EXTENSIONS = ["pg_graphql", "pg_stat_statements", "pgjwt", "pgsodium", "plpgsql"];
/** Roles of the platform. Grants to them are its own. */
const PLATFORM_ROLE = "^(supabase_|pg_|dashboard_user$|pgbouncer$|pgsodium_|cli_login_|pgtle_)";
/** The roles of requests, and the owner of the schema. The platform creates them, migrations change them. */
const ROLES = ["anon", "authenticated", "authenticator", "postgres", "service_role"];
/** Settings that the platform gives to these roles and to the database. */
const PLATFORM_SETTING = "^(session_preload_libraries|app\\.settings\\..*)$";

const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");

/** The service's own schemas. */
export const OWN = `with own as (
  select n.oid, n.nspname from pg_namespace n
  where n.nspname !~ '^pg_' and n.nspname not in (${list(PLATFORM_SCHEMAS)})
)`;

const isPlatformRole = (role: string) => `(${role} <> 0 and pg_get_userbyid(${role}) ~ '${PLATFORM_ROLE}')`;
const isExtensionPart = (catalogue: string, oid: string) =>
  `exists (select from pg_depend x where x.classid = '${catalogue}'::regclass and x.objid = ${oid} and x.deptype = 'e')`;

/** The grants of an object, as a set. The owner's are named so, because a change of owner changes them too. */
function grants(acl: string, owner: string, kind?: string, without = "false"): string {
  return `array(
    select distinct format('%s to %s%s', lower(g.privilege_type),
      case g.grantee when 0 then 'public' when ${owner} then 'the owner' else pg_get_userbyid(g.grantee)::text end,
      case when g.is_grantable then ' with grant option' end)
    from aclexplode(${kind === undefined ? acl : `coalesce(${acl}, acldefault('${kind}', ${owner}))`}) g
    where not ${isPlatformRole("g.grantee")} and not (${without}) order by 1)`;
}

/** The name of a table, view or composite type \`c\` in schema \`n\`, with its kind. */
const RELATION = `format('%s %I.%I', case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
  when 'f' then 'foreign table' when 'c' then 'type' else 'table' end, n.nspname, c.relname)`;
const QUALIFIED = "format('%I.%I', n.nspname, c.relname)";
const IS_RELATION = "c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition"; // a job adds and drops partitions
const COLUMN_ORDER = `array(select a.attname::text from pg_attribute a
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum)`;
const ENABLED = (column: string) =>
  `case ${column} when 'O' then 'enabled' when 'D' then 'disabled' when 'A' then 'always' else 'replica only' end`;

const SCHEMAS = `${OWN}
  select format('schema %I', n.nspname) as name, null as parent, jsonb_build_object(
    'owner', pg_get_userbyid(n.nspowner), 'grants', ${grants("n.nspacl", "n.nspowner", "n")},
    'comment', obj_description(n.oid, 'pg_namespace')) as properties
  from pg_namespace n where n.oid in (select o.oid from own o) and not ${isExtensionPart("pg_namespace", "n.oid")}
  union all
  select 'schema extensions', null, jsonb_build_object('grants',
    ${grants("n.nspacl", "n.nspowner", "n", "g.grantee <> 0 and pg_get_userbyid(g.grantee) = 'postgres'")})
  from pg_namespace n where n.nspname = 'extensions'`;

const RELATIONS = `${OWN}
  select ${RELATION} as name, format('schema %I', n.nspname) as parent, jsonb_build_object(
    'owner', pg_get_userbyid(c.relowner), 'grants', ${grants("c.relacl", "c.relowner", "r")},
    'comment', obj_description(c.oid, 'pg_class'), 'row security', c.relrowsecurity,
    'forced row security', c.relforcerowsecurity, 'options', coalesce(c.reloptions, '{}'),
    'persistence', case c.relpersistence when 'u' then 'unlogged' else 'logged' end,
    'replica identity', case c.relreplident when 'd' then 'default' when 'n' then 'nothing' when 'f' then 'full'
      else (select x.indexrelid::regclass::text from pg_index x where x.indrelid = c.oid and x.indisreplident) end,
    'definition', case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
    'partition key', pg_get_partkeydef(c.oid), 'column order', ${COLUMN_ORDER}) as properties
  from own n join pg_class c on c.relnamespace = n.oid
  where ${IS_RELATION} and not ${isExtensionPart("pg_class", "c.oid")}`;

const COLUMNS = `${OWN}
  select format('column %s.%I', ${QUALIFIED}, a.attname) as name, ${RELATION} as parent, jsonb_build_object(
    'type', format_type(a.atttypid, a.atttypmod), 'not null', a.attnotnull,
    'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
    'generated', case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end,
    'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end,
    'collation', nullif(a.attcollation, 0)::regcollation, 'grants', ${grants("a.attacl", "c.relowner")},
    'comment', col_description(c.oid, a.attnum), 'statistics', a.attstattarget, 'storage', a.attstorage::text,
    'options', coalesce(a.attoptions, '{}')) as properties
  from own n join pg_class c on c.relnamespace = n.oid
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where (${IS_RELATION} or c.relkind = 'c') and not ${isExtensionPart("pg_class", "c.oid")}`;

const CONSTRAINTS = `${OWN}
  select format('constraint %I of %s', k.conname, ${QUALIFIED}) as name, ${RELATION} as parent, jsonb_build_object(
    'definition', pg_get_constraintdef(k.oid), 'comment', obj_description(k.oid, 'pg_constraint'),
    'enforced', not exists (select from pg_trigger t where t.tgconstraint = k.oid and t.tgenabled <> 'O')) as properties
  from own n join pg_class c on c.relnamespace = n.oid join pg_constraint k on k.conrelid = c.oid
  where ${IS_RELATION} and k.contype not in ('t', 'n') and not ${isExtensionPart("pg_class", "c.oid")}
  union all
  select format('constraint %I of %I.%I', k.conname, n.nspname, t.typname), format('type %I.%I', n.nspname, t.typname),
    jsonb_build_object('definition', pg_get_constraintdef(k.oid), 'comment', obj_description(k.oid, 'pg_constraint'))
  from own n join pg_type t on t.typnamespace = n.oid join pg_constraint k on k.contypid = t.oid
  where k.contype not in ('t', 'n') and not ${isExtensionPart("pg_type", "t.oid")}`;

/** Without the indexes of constraints, which follow from them. */
const INDEXES = `${OWN}
  select format('index %I.%I', n.nspname, x.relname) as name, ${RELATION} as parent, jsonb_build_object(
    'definition', pg_get_indexdef(i.indexrelid), 'valid', i.indisvalid and i.indisready,
    'comment', obj_description(i.indexrelid, 'pg_class')) as properties
  from own n join pg_class c on c.relnamespace = n.oid join pg_index i on i.indrelid = c.oid
  join pg_class x on x.oid = i.indexrelid
  where ${IS_RELATION} and not ${isExtensionPart("pg_class", "c.oid")}
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`;

/** Also those of platform tables: the platform creates none. */
const POLICIES = `${OWN}
  select format('policy %I of %s', p.polname, ${QUALIFIED}) as name, ${RELATION} as parent, jsonb_build_object(
    'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete'
      else 'all' end,
    'roles', array(select case r when 0 then 'public' else pg_get_userbyid(r)::text end from unnest(p.polroles) r order by 1),
    'permissive', p.polpermissive, 'using', pg_get_expr(p.polqual, p.polrelid),
    'check', pg_get_expr(p.polwithcheck, p.polrelid), 'comment', obj_description(p.oid, 'pg_policy')) as properties
  from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
  where not c.relispartition and not ${isExtensionPart("pg_class", "c.oid")}
    and (n.oid in (select o.oid from own o) or n.nspname in ('auth', 'realtime', 'storage'))`;

/** On platform tables only triggers whose function is the service's. */
const TRIGGERS = `${OWN}
  select format('trigger %I of %s', t.tgname, ${QUALIFIED}) as name, ${RELATION} as parent, jsonb_build_object(
    'definition', pg_get_triggerdef(t.oid), 'state', ${ENABLED("t.tgenabled")},
    'comment', obj_description(t.oid, 'pg_trigger')) as properties
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_proc p on p.oid = t.tgfoid
  where not t.tgisinternal and t.tgparentid = 0 and not c.relispartition and not ${isExtensionPart("pg_class", "c.oid")}
    and (n.oid in (select o.oid from own o) or p.pronamespace in (select o.oid from own o))`;

const RULES = `${OWN}
  select format('rule %I of %s', r.rulename, ${QUALIFIED}) as name, ${RELATION} as parent,
    jsonb_build_object('definition', pg_get_ruledef(r.oid), 'state', ${ENABLED("r.ev_enabled")}) as properties
  from own n join pg_class c on c.relnamespace = n.oid join pg_rewrite r on r.ev_class = c.oid
  where r.rulename <> '_RETURN' and ${IS_RELATION}`;

const STATISTICS = `${OWN}
  select format('statistics %I.%I', n.nspname, s.stxname) as name, ${RELATION} as parent,
    jsonb_build_object('definition', pg_get_statisticsobjdef(s.oid), 'target', s.stxstattarget) as properties
  from own n join pg_statistic_ext s on s.stxnamespace = n.oid join pg_class c on c.oid = s.stxrelid`;

/** The platform has some of its own. */
const EVENT_TRIGGERS = `${OWN}
  select format('event trigger %I', e.evtname) as name, null as parent, jsonb_build_object(
    'event', e.evtevent, 'tags', coalesce(e.evttags, '{}'), 'function', e.evtfoid::regprocedure,
    'state', ${ENABLED("e.evtenabled")}) as properties
  from own n join pg_proc p on p.pronamespace = n.oid join pg_event_trigger e on e.evtfoid = p.oid
  where not ${isExtensionPart("pg_event_trigger", "e.oid")}`;

const FUNCTIONS = `${OWN}
  select format('%s %I.%I(%s)', case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end,
      n.nspname, p.proname, oidvectortypes(p.proargtypes)) as name,
    format('schema %I', n.nspname) as parent, jsonb_build_object(
    'arguments', pg_get_function_arguments(p.oid), 'result', pg_get_function_result(p.oid), 'language', l.lanname,
    'body', coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), 'owner', pg_get_userbyid(p.proowner),
    'grants', ${grants("p.proacl", "p.proowner", "f")}, 'comment', obj_description(p.oid, 'pg_proc'),
    'security', case when p.prosecdef then 'definer' else 'invoker' end, 'settings', coalesce(p.proconfig, '{}'),
    'volatility', case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
    'parallel', case p.proparallel when 's' then 'safe' when 'r' then 'restricted' else 'unsafe' end,
    'strict', p.proisstrict, 'leakproof', p.proleakproof, 'window', p.prokind = 'w', 'cost', p.procost, 'rows', p.prorows,
    'support', nullif(p.prosupport, 0)::regproc, 'aggregate', (
      select format('%s %s %s %s', a.aggtransfn, a.aggfinalfn, format_type(a.aggtranstype, null), a.agginitval)
      from pg_aggregate a where a.aggfnoid = p.oid)) as properties
  from own n join pg_proc p on p.pronamespace = n.oid join pg_language l on l.oid = p.prolang
  where not ${isExtensionPart("pg_proc", "p.oid")}`;

/** Enums, domains, ranges and composite types; tables have their own. */
const TYPES = `${OWN}
  select format('type %I.%I', n.nspname, t.typname) as name, format('schema %I', n.nspname) as parent, jsonb_build_object(
    'kind', case t.typtype when 'e' then 'enum' when 'd' then 'domain' when 'r' then 'range' when 'c' then 'composite'
      else 'base' end,
    'owner', pg_get_userbyid(t.typowner), 'grants', ${grants("t.typacl", "t.typowner", "T")},
    'comment', obj_description(t.oid, 'pg_type'),
    'list of labels', (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
    'base type', case when t.typbasetype <> 0 then format_type(t.typbasetype, t.typtypmod) end, 'not null', t.typnotnull,
    'default', t.typdefault, 'subtype', (select r.rngsubtype::regtype from pg_range r where r.rngtypid = t.oid),
    'column order', ${COLUMN_ORDER}) as properties
  from own n join pg_type t on t.typnamespace = n.oid left join pg_class c on c.oid = t.typrelid
  where (t.typtype in ('e', 'd', 'r') or c.relkind = 'c' or t.typtype = 'b' and t.typcategory <> 'A')
    and not ${isExtensionPart("pg_type", "t.oid")}`;

const SEQUENCES = `${OWN}
  select format('sequence %s', ${QUALIFIED}) as name,
    coalesce(o.name, format('schema %I', n.nspname)) as parent, jsonb_build_object(
    'type', s.seqtypid::regtype, 'start', s.seqstart, 'increment', s.seqincrement, 'minimum', s.seqmin::text,
    'maximum', s.seqmax::text, 'cache', s.seqcache, 'cycle', s.seqcycle, 'owner', pg_get_userbyid(c.relowner),
    'grants', ${grants("c.relacl", "c.relowner", "s")}, 'comment', obj_description(c.oid, 'pg_class'),
    'owned by', o.name, 'persistence', case c.relpersistence when 'u' then 'unlogged' else 'logged' end) as properties
  from own n join pg_class c on c.relnamespace = n.oid join pg_sequence s on s.seqrelid = c.oid
  left join lateral (
    select format('column %s.%I', d.refobjid::regclass, a.attname) as name
    from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0
  ) o on true
  where not ${isExtensionPart("pg_class", "c.oid")}`;

const DEFAULT_PRIVILEGES = `${OWN}
  select format('default privileges of %s on %s%s', pg_get_userbyid(d.defaclrole),
      case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
        else 'schemas' end,
      ' in schema ' || n.nspname) as name,
    null as parent,
    jsonb_build_object('grants', ${
  grants("d.defaclacl", "d.defaclrole", undefined, "d.defaclnamespace <> 0 and g.grantee = d.defaclrole")
}) as properties
  from pg_default_acl d left join own n on n.oid = d.defaclnamespace
  where (d.defaclnamespace = 0 or n.oid is not null) and not ${isPlatformRole("d.defaclrole")}`;

const EXTENSIONS = `
  select format('extension %I', e.extname) as name, null as parent,
    jsonb_build_object('schema', e.extnamespace::regnamespace) as properties
  from pg_extension e where e.extname not in (${list(PLATFORM_EXTENSIONS)})`;

const PUBLICATIONS = `
  select format('publication %I', p.pubname) as name, null as parent, jsonb_build_object(
    'all tables', p.puballtables, 'via root', p.pubviaroot, 'operations', array_remove(array[
      case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
      case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end], null)) as properties
  from pg_publication p where p.pubname !~ '^supabase_realtime_messages_publication'
  union all
  select format('table %s in publication %I', r.prrelid::regclass, p.pubname), format('publication %I', p.pubname),
    jsonb_build_object('filter', pg_get_expr(r.prqual, r.prrelid), 'column list', (
      select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a
      where a.attrelid = r.prrelid and a.attnum = any (r.prattrs)))
  from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
  where p.pubname !~ '^supabase_realtime_messages_publication'
  union all
  select format('schema %s in publication %I', s.pnnspid::regnamespace, p.pubname), format('publication %I', p.pubname), '{}'
  from pg_publication_namespace s join pg_publication p on p.oid = s.pnpubid`;

const ROLE_OBJECTS = `
  select format('role %I', r.rolname) as name, null as parent, jsonb_build_object('attributes', array_remove(array[
    case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypassrls' end,
    case when r.rolcanlogin then 'login' end, case when r.rolcreaterole then 'createrole' end,
    case when r.rolcreatedb then 'createdb' end, case when r.rolreplication then 'replication' end], null)) as properties
  from pg_roles r where r.rolname in (${list(ROLES)})
  union all
  select format('membership of %I in %I', pg_get_userbyid(m.member), pg_get_userbyid(m.roleid)), null,
    jsonb_build_object('admin option', bool_or(m.admin_option), 'inherit', bool_or(m.inherit_option),
      'set', bool_or(m.set_option))
  from pg_auth_members m
  where pg_get_userbyid(m.roleid) in (${list(ROLES)}) and not ${isPlatformRole("m.member")}
  group by m.member, m.roleid
  union all
  select format('setting %s of %s%s', split_part(v.setting, '=', 1),
      case s.setrole when 0 then 'this database' else format('role %I', pg_get_userbyid(s.setrole)) end,
      case when s.setrole <> 0 and s.setdatabase <> 0 then ' in this database' end),
    null, jsonb_build_object('value', substr(v.setting, strpos(v.setting, '=') + 1))
  from pg_db_role_setting s cross join lateral unnest(s.setconfig) v (setting)
  where s.setdatabase in (0, (select d.oid from pg_database d where d.datname = current_database()))
    and (s.setrole = 0 or pg_get_userbyid(s.setrole) in (${list(ROLES)}))
    and split_part(v.setting, '=', 1) !~ '${PLATFORM_SETTING}'`;

const JOBS = `
  select format('job %s', coalesce(j.jobname, j.command)) as name, null as parent, jsonb_build_object(
    'schedule', j.schedule, 'command', j.command, 'active', j.active, 'user', j.username) as properties
  from cron.job j`;

/** The tables of a queue are pgmq's and differ between its versions. */
const QUEUES = `
  select format('queue %s', m.queue_name) as name, null as parent, jsonb_build_object(
    'partitioned', m.is_partitioned, 'unlogged', m.is_unlogged, 'table', c.oid is not null,
    'owner', pg_get_userbyid(c.relowner), 'grants', ${
  grants("c.relacl", "c.relowner", undefined, "g.grantee = c.relowner")
}) as properties
  from pgmq.meta m
  left join pg_class c on c.oid = to_regclass(format('pgmq.%I', 'q_' || lower(m.queue_name)))`;

const BUCKETS = `
  select format('bucket %s', b.id) as name, null as parent, jsonb_build_object('public', b.public,
    'file size limit', b.file_size_limit, 'media types', coalesce(b.allowed_mime_types, '{}')) as properties
  from storage.buckets b`;

export const OBJECTS: readonly string[] = [
  SCHEMAS,
  RELATIONS,
  COLUMNS,
  CONSTRAINTS,
  INDEXES,
  POLICIES,
  TRIGGERS,
  RULES,
  STATISTICS,
  EVENT_TRIGGERS,
  FUNCTIONS,
  TYPES,
  SEQUENCES,
  DEFAULT_PRIVILEGES,
  EXTENSIONS,
  PUBLICATIONS,
  ROLE_OBJECTS,
];

/** Read when the table exists. */
export const OPTIONAL_OBJECTS: Readonly<Record<string, string>> = {
  "cron.job": JOBS,
  "pgmq.meta": QUEUES,
  "storage.buckets": BUCKETS,
};

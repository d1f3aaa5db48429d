-- The table, view and functions of supabase_vault as hosted projects have it. The key is a file in the data folder, which
-- no client of the database can read; dumps hold ciphertext.

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
create unique index on vault.secrets (name) where name is not null;
select pg_catalog.pg_extension_config_dump('vault.secrets', '');

create function vault._key() returns text
language sql stable
set search_path = ''
as $$ select btrim(pg_read_file('vault.key')) $$;

create function vault._encrypt(plain text) returns text
language sql
set search_path = ''
as $$ select encode(extensions.pgp_sym_encrypt(plain, vault._key()), 'base64') $$;

create function vault._decrypt(secret text) returns text
language sql stable
security definer -- the key is the server's
set search_path = ''
as $$ select extensions.pgp_sym_decrypt(decode(secret, 'base64'), vault._key()) $$;

create view vault.decrypted_secrets as
select s.id, s.name, s.description, s.secret, vault._decrypt(s.secret) as decrypted_secret, s.key_id, s.nonce,
  s.created_at, s.updated_at
from vault.secrets s;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
) returns uuid
language sql
security definer -- no role writes the table directly
set search_path = ''
as $$
  insert into vault.secrets (secret, name, description)
  values (vault._encrypt(new_secret), new_name, coalesce(new_description, ''))
  returning id
$$;

create function vault.update_secret(
  secret_id uuid, new_secret text default null, new_name text default null, new_description text default null,
  new_key_id uuid default null
) returns void
language sql
security definer -- as vault.create_secret
set search_path = ''
as $$
  update vault.secrets s
  set secret = case when new_secret is null then s.secret else vault._encrypt(new_secret) end,
    name = coalesce(new_name, s.name), description = coalesce(new_description, s.description), updated_at = now()
  where s.id = secret_id
$$;

revoke all on all functions in schema vault from public;
grant usage on schema vault to postgres with grant option;
grant select, delete on vault.secrets, vault.decrypted_secrets to postgres with grant option;
grant execute on function
  vault.create_secret(text, text, text, uuid), vault.update_secret(uuid, text, text, text, uuid), vault._decrypt(text)
to postgres with grant option;
grant usage on schema vault to service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid), vault.update_secret(uuid, text, text, text, uuid), vault._decrypt(text)
to service_role;

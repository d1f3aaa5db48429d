-- Types of accounts: users and administrators, withdrawal, the export of data.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Accounts
-- ---------------------------------------------------------------------------------------------------------------------

-- The areas that an administrator can have; each is the permission scope admin:<area>.
create function private.admin_areas() returns text[]
language sql immutable
return array[
  'lots', 'notifications', 'reviews', 'search_presets', 'store_sync', 'support', 'users', 'rewards', 'content', 'admins'
];

 -- a constraint calls it as the role that writes the row

-- ---------------------------------------------------------------------------------------------------------------------
-- Data export
-- ---------------------------------------------------------------------------------------------------------------------

create type private.exported_table as (
  name text, user_column text, keys text[], types text[], condition text, also text[], source text
);

comment on type private.exported_table is
  'A table of the export. keys are the columns that order it, of these types; null: few rows, never split. Without source: the rows of a table of public whose user_column has the user and which meet condition, with the columns that clients may read and also. source: a query of the user $1.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Users in the console
-- ---------------------------------------------------------------------------------------------------------------------

create type private.user_filter as (status text, is_premium boolean, email_pattern text, name_pattern text, name_terms text[]);

comment on type private.user_filter is 'The filter of a search for app users; null: any. The patterns are for like.';

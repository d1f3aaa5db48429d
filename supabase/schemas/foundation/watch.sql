-- Watched tables: one function that runs after each statement that changes rows of a table.
--
-- A trigger of a statement reads the rows of that statement in rows_before (update) and rows_changed (insert and update: the
-- new rows, delete: the deleted ones). Postgres allows these tables only in a trigger of one event. So a table needs a
-- trigger for each event, with the same function; private.watch creates them. The function branches by tg_op, because a
-- statement has only the tables of its event, and none for truncate.
--
-- Interface: private.watch, for the files triggers.sql.

-- Creates a trigger for each of these events of a table, which calls the function with these arguments once a statement.
create function private.watch(
  p_table regclass, p_events text[], p_name text, p_function text, variadic p_arguments text[] default '{}'
) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_rows constant jsonb := '{
    "insert": "referencing new table as rows_changed",
    "update": "referencing old table as rows_before new table as rows_changed",
    "delete": "referencing old table as rows_changed",
    "truncate": ""
  }';
  v_event text;
begin
  foreach v_event in array p_events loop
    execute format('create trigger %I after %s on %s %s for each statement execute function %s(%s)',
      p_name || '_on_' || v_event, v_event, p_table, c_rows ->> v_event, p_function,
      (select string_agg(quote_literal(a), ', ') from unnest(p_arguments) as a));
  end loop;
end
$$;

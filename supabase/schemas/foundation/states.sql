-- States: from which state a row may move to which, for every table with a state machine.
--
-- The moves are rows of private.allowed_moves; docs/domains/states.md lists them. One trigger function checks every
-- table, for every writer: functions of the interface, the service and the console of administrators. The functions check
-- who may move a row. Which state may follow which is defined by these rows and nowhere else.
--
-- A row that a client or the service inserts begins in a start state (a move from 'new'). The owner of the schema may
-- insert a row in any state: migrations, seeds, importers that connect as the owner, and functions with the owner's
-- rights.
--
-- Invariants: no update makes a move that is not listed; an update to the same state is not a move.
-- Interface: private.tg_check_state('<entity>'), for tables with a column status; private.check_move(entity, from, to).

-- The states that a row in this state may move to, by name; for new: the states in which a row may begin.
create function private.allowed_states(p_entity text, p_from_state text) returns text[]
language plpgsql stable
security definer -- no role may read the table; which states may follow is not a secret
set search_path = ''
as $$
begin
  return array(
    select m.to_state from private.allowed_moves m
    where m.entity = p_entity and m.from_state = p_from_state order by m.to_state
  );
end
$$;

-- Rejects a move that private.allowed_moves does not list, and a move to the same state. Errors: conflict;
-- details.allowed has the states that may follow.
create function private.check_move(p_entity text, p_from_state text, p_to_state text) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_allowed text[] := private.allowed_states(p_entity, p_from_state);
begin
  if p_to_state <> all (v_allowed) then
    perform private.raise_error('conflict', 409, format('The status of the %s cannot become %s when it is %s. details.allowed lists the possible states.',
        replace(p_entity, '_', ' '), p_to_state, p_from_state),
      p_param => 'status', p_details => jsonb_build_object(
        'reason', 'status_not_reachable', 'status', nullif(p_from_state, 'new'), 'allowed', to_jsonb(v_allowed)
      ));
  end if;
end
$$;

-- private.check_move for the rows of a table; tg_argv[0] is their entity.
create function private.tg_check_state() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.check_move(tg_argv[0], old.status, new.status);
  elsif current_user in ('anon', 'authenticated', 'service_role') then
    perform private.check_move(tg_argv[0], 'new', new.status);
  end if;
  return new;
end
$$;

grant execute on function private.allowed_states(text, text), private.check_move(text, text, text)
to authenticated;

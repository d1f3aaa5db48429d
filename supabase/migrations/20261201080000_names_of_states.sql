-- Names of states: the message of a rejected status has the right article before every name.
--
-- The definition is that of supabase/schemas after this change. The way back: the function as it was.

set lock_timeout = '2s';

-- Rejects a move that private.allowed_moves does not list, and a move to the same state. Errors: conflict;
-- details.allowed has the states that may follow.
create or replace function private.check_move(p_entity text, p_from_state text, p_to_state text) returns void
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

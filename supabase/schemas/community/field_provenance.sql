-- The sources of the fields of a lot and the votes on them, with the vote of the caller.
--
-- Interface: private.field_provenance for the detail of a lot.

-- The caller's vote on a value, null without one.
create function private.my_vote(p_field_value_id uuid) returns text
language plpgsql stable
security definer -- an anonymous user has no right on votes, and no votes; the look-up reads only the caller's
set search_path = ''
as $$
begin
  return (
    select v.vote from public.field_value_votes v
    where v.field_value_id = p_field_value_id and v.user_id = (select auth.uid())
  );
end
$$;

-- The source and the votes of each known field of an active lot: an object by field of {field_value_id, state, source,
-- licence, last_verified_at, confirm_count, deny_count, my_vote}.
create function private.field_provenance(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_object_agg(c.field_name, jsonb_build_object(
        'field_value_id', c.id, 'state', c.state, 'source', c.source, 'licence', c.licence,
        'last_verified_at', c.last_verified_at, 'confirm_count', c.confirm_count, 'deny_count', c.deny_count,
        'my_vote', private.my_vote(c.id)
      )),
      '{}'
    )
    from private.current_field_values(p_lot_id) as c
  );
end
$$;

grant execute on function private.my_vote(uuid), private.field_provenance(uuid) to anon, authenticated;

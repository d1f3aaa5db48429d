-- An upload that is no picture is refused for good, so that the same bytes are not read again.
--
-- The definition is that of supabase/schemas after this change. The way back: drop the function, after the functions of
-- before are deployed.

create function api.refuse_asset(p_asset_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.assets set deleted_at = now() where id = p_asset_id and status = 'pending' and deleted_at is null;
end
$$;

comment on function api.refuse_asset(uuid) is
  'For the service: marks an upload whose bytes are no picture for deletion. It can no longer be attached. The uploads of the day still count it. It raises no errors.';

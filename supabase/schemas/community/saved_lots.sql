-- Saved lots and search preferences: what a user saves, and what a minute of walking is worth to them. The tables are in
-- community/tables.sql.
--
-- Saving a lot twice has one effect. Only public lots can be saved; a saved lot that is no longer public stays in the
-- list without its data. Every user reads the value of a minute of walking; premium members set it.
--
-- Invariants: those of community/ratings.sql; saving a lot writes one row of activity, even if it is saved again.
-- Interface: api.list_my_saved_parking_lots, save_parking_lot, unsave_parking_lot, my_search_preferences,
-- set_my_search_preferences.

-- A saved lot as the interface shows it.
create function private.saved_row(p_saved public.saved_parking_lots) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_saved).id, 'user_id', (p_saved).user_id, 'parking_lot_id', (p_saved).parking_lot_id,
  'created_at', (p_saved).created_at
);

-- The search preferences of a user as the interface shows them.
create function private.search_preferences_of(p_user_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'is_premium', private.is_premium(p_user_id),
    'yen_per_walk_minute', private.yen_per_walk_minute(),
    'is_default', not exists (select from public.search_preferences p where p.user_id = p_user_id)
  );
end
$$;

grant execute on function
  private.saved_row(public.saved_parking_lots), private.search_preferences_of(uuid)
to authenticated;

-- Notification preferences: the channels by which a user is notified of each type, and the user's quiet hours.
--
-- A type has default channels; a row of a user overrides them. Quiet hours are one span of each day by the clock of a time
-- zone. Pushes wait until it ends, except those of urgent types; the inbox does not wait.
--
-- Invariants: the choice of a user is a row of theirs, and enables mail only where the type allows it; quiet hours are not
-- empty.
-- Interface: api.my_notification_preferences, commands.set_my_notification_preferences; private.quiet_until for push.

-- Whether p_time is within quiet hours from p_from until p_to, which run past midnight where p_to is earlier.
create function private.is_quiet_at(p_from time, p_to time, p_time time) returns boolean
language sql immutable
return case when p_from < p_to then p_time >= p_from and p_time < p_to else p_time >= p_from or p_time < p_to end;

-- When the quiet hours end that contain a moment: the first minute after it that is not quiet by the clock of the time
-- zone; null when it is not in quiet hours.
create function private.quiet_until(p_from time, p_to time, p_time_zone text, p_at timestamptz) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
declare
  v_local timestamp := p_at at time zone p_time_zone;
  v_until timestamptz;
  v_change interval;
  v_first timestamptz;
begin
  if not private.is_quiet_at(p_from, p_to, v_local::time) then
    return null;
  end if;
  v_until := (v_local::date + case when p_from > p_to and v_local::time >= p_from then 1 else 0 end + p_to) at time zone p_time_zone;
  v_change := ((v_until at time zone p_time_zone) - v_local) - (v_until - p_at);
  if v_change <> interval '0' then
    -- The clock changes before they end, and may skip their end or show it twice: the first minute that is not quiet ends them.
    select m into v_first
    from generate_series(date_trunc('minute', p_at), v_until + greatest(v_change, -v_change), interval '1 minute') as m
    where m > p_at and not private.is_quiet_at(p_from, p_to, (m at time zone p_time_zone)::time)
    order by m limit 1;
    -- There is no such minute when the clock skips all of them: then they end a day later.
    v_until := coalesce(v_first, private.quiet_until(p_from, p_to, p_time_zone, v_until));
  end if;
  return v_until;
end
$$;

-- The channels by which a user is notified of each type, the labels of the types, and the quiet hours: {items, types,
-- quiet_hours}.
create function private.notification_preferences_of(p_user_id uuid, p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'items', jsonb_agg(jsonb_build_object(
        'notif_type', t.code, 'push_enabled', coalesce(p.push_enabled, t.push_enabled),
        'in_app_enabled', coalesce(p.in_app_enabled, t.in_app_enabled),
        'email_enabled', coalesce(p.email_enabled, t.email_enabled)
      ) order by c.sort_order),
      'types', jsonb_agg(jsonb_build_object(
        'code', t.code, 'display_label', c.display_label, 'email_allowed', t.email_allowed
      ) order by c.sort_order),
      'quiet_hours', (
        select jsonb_build_object('from', to_char(q.from_time, 'HH24:MI'), 'to', to_char(q.to_time, 'HH24:MI'), 'time_zone', q.time_zone)
        from public.notification_quiet_hours q where q.user_id = p_user_id
      )
    )
    from public.notification_types t
    join public.codes c on c.category_id = 'notification_type' and c.code = t.code and c.lang = p_lang
    left join public.notification_preferences p on p.user_id = p_user_id and p.notif_type = t.code
  );
end
$$;

-- Checks a list of preferences: each type once, mail only where the type allows it. Errors: validation_error.
create function private.check_notification_preferences(p_items jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_at integer;
  v_item jsonb;
begin
  if (case when jsonb_typeof(p_items) = 'array' then jsonb_array_length(p_items) not between 1 and 100 else true end) then
    perform private.raise_error('validation_error', 422, 'items must be an array of 1 to 100 items.', p_param => 'items');
  end if;
  for v_at, v_item in select i.n - 1, i.item from jsonb_array_elements(p_items) with ordinality as i (item, n) loop
    if jsonb_typeof(v_item) <> 'object'
      or v_item - '{notif_type,push_enabled,in_app_enabled,email_enabled}'::text[] <> '{}'
      or exists (
        select from unnest('{push_enabled,in_app_enabled,email_enabled}'::text[]) as w
        where jsonb_typeof(v_item -> w) is distinct from 'boolean'
      ) then
      perform private.raise_error('validation_error', 422,
        'An item must be {notif_type, push_enabled, in_app_enabled, email_enabled}.', p_param => 'items.' || v_at);
    elsif not exists (select from public.notification_types t where t.code = v_item ->> 'notif_type') then
      perform private.raise_error('validation_error', 422, 'notif_type must be a code of the category notification_type.', p_param => format('items.%s.notif_type', v_at));
    elsif (v_item ->> 'email_enabled')::boolean
      and not (select t.email_allowed from public.notification_types t where t.code = v_item ->> 'notif_type') then
      perform private.raise_error('validation_error', 422, 'email_enabled must be false, because notifications of this type are not mailed.',
        p_param => format('items.%s.email_enabled', v_at));
    elsif (
      select count(*) from jsonb_array_elements(p_items) as o where o -> 'notif_type' = v_item -> 'notif_type'
    ) > 1 then
      perform private.raise_error('validation_error', 422, 'Each type must be sent only once.',
        p_param => format('items.%s.notif_type', v_at));
    end if;
  end loop;
end
$$;

-- Checks quiet hours: {from, to, time_zone}. Errors: validation_error.
create function private.check_quiet_hours(p_quiet_hours jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_param text := case
    when jsonb_typeof(p_quiet_hours) <> 'object' or p_quiet_hours - '{from,to,time_zone}'::text[] <> '{}' then ''
    when coalesce(p_quiet_hours ->> 'from', '') !~ '^([01]\d|2[0-3]):[0-5]\d$' then '.from'
    when coalesce(p_quiet_hours ->> 'to', '') !~ '^([01]\d|2[0-3]):[0-5]\d$' or p_quiet_hours -> 'to' = p_quiet_hours -> 'from' then '.to'
    when not coalesce(private.is_time_zone(p_quiet_hours ->> 'time_zone'), false) then '.time_zone' end;
begin
  if v_param is not null then
    perform private.raise_error('validation_error', 422,
      'Quiet hours must be {from, to, time_zone}, with two different times as HH:MM and an IANA time zone.', p_param => 'quiet_hours' || v_param);
  end if;
end
$$;

-- Sets the caller's quiet hours, or removes them where p_quiet_hours is null. Errors: unauthorized, validation_error.
create function private.put_quiet_hours(p_quiet_hours jsonb) returns void
language plpgsql
security definer -- no client writes the table; the row is always the caller's
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
begin
  if p_quiet_hours is null then
    delete from public.notification_quiet_hours q where q.user_id = v_user_id;
    return;
  end if;
  perform private.check_quiet_hours(p_quiet_hours);
  insert into public.notification_quiet_hours as q (user_id, from_time, to_time, time_zone)
  values (v_user_id, (p_quiet_hours ->> 'from')::time, (p_quiet_hours ->> 'to')::time, p_quiet_hours ->> 'time_zone')
  on conflict (user_id) do update set from_time = excluded.from_time, to_time = excluded.to_time, time_zone = excluded.time_zone;
end
$$;

grant execute on function
  private.notification_preferences_of(uuid, text), private.check_notification_preferences(jsonb), private.put_quiet_hours(jsonb)
to authenticated;

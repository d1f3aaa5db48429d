-- The ledger of subscriptions: computes a subscription from its events.
--
-- Statements arrive in any order, late and twice. The row of a subscription is computed from the set of its events, never
-- from the order of their arrival. Each counts at the time when the store last made it (confirmed_at). The latest
-- decides; of several at one time a revocation is last, then the one with the longest access. Further rules:
--
-- * Google Play returns expired for a purchase that it has revoked: the subscription stays revoked unless access was
-- granted since.
-- * A purchase that another one replaced ended when that was bought.
-- * A subscription that an administrator revoked stays revoked until an administrator reinstates it.
-- * The plan is the latest that is known.
-- * A purchase that expired or was revoked before the end of its paid period ended then.
--
-- Premium and notifications follow from the row in the same transaction.
--
-- Interface: private.project_subscription for the writers of the ledger (purchases/statements.sql to
-- purchases/console_subscriptions.sql), private.status_at, private.refresh_premium, private.next_query_at.

-- The status of a subscription at a time: without a new statement it expires when its access ends.
create function private.status_at(p_status text, p_access_ends_at timestamptz, p_at timestamptz) returns text
language sql immutable
return case when p_status in ('active', 'grace') and p_access_ends_at <= p_at then 'expired' else p_status end;

-- Sets the end of a user's premium: the latest end of access of their subscriptions, or of an administrator's grant. The
-- caller has locked the account.
create function private.refresh_premium(p_user_id uuid) returns void
language plpgsql
security definer -- no role may write premium directly
set search_path = ''
as $$
begin
  update public.app_users u set premium_ends_at = p.ends_at
  from (
    select greatest(a.granted_premium_ends_at, max(s.access_ends_at)) as ends_at
    from public.app_users a left join public.user_subscriptions s on s.user_id = a.id
    where a.id = p_user_id group by a.id
  ) p
  where u.id = p_user_id and u.status <> 'withdrawn' and u.premium_ends_at is distinct from p.ends_at;
end
$$;

-- The last event of a subscription by the store's clock; with statuses: the last with one of these. A receipt of a period that
-- was refunded does not count when a later period is known: it has no information about that one, whenever it was signed.
create function private.last_store_event(p_subscription_id uuid, p_statuses text[] default null) returns public.store_events
language plpgsql stable
set search_path = ''
as $$
declare
  v_event public.store_events;
begin
  select e.* into v_event from public.store_events e
  where e.subscription_id = p_subscription_id and e.facts is not null and (p_statuses is null or e.status = any (p_statuses))
    and not (e.status = 'revoked' and e.event_id like 'transaction:%' and exists (
      select from public.store_events n
      where n.subscription_id = e.subscription_id
        and (n.facts ->> 'started_at')::timestamptz > (e.facts ->> 'started_at')::timestamptz
    ))
  order by e.confirmed_at desc, e.status = 'revoked' desc, (e.facts ->> 'access_ends_at')::timestamptz desc nulls last,
    e.facts desc, e.needs_acknowledgement desc, e.event_id
  limit 1;
  return v_event;
end
$$;

-- The facts of a subscription by its store's statements. Without access, access_ends_at is the time when it ended, if
-- known.
create function private.stated_facts(p_subscription_id uuid) returns private.subscription_facts
language plpgsql stable
set search_path = ''
as $$
declare
  v_last public.store_events := private.last_store_event(p_subscription_id);
  v_facts private.subscription_facts := jsonb_populate_record(null::private.subscription_facts, v_last.facts);
begin
  if v_facts.status = 'expired' and v_last.store = 'android_store' then
    v_last := private.last_store_event(p_subscription_id, '{active,grace,revoked}');
    if v_last.status = 'revoked' then
      v_facts.status := 'revoked';
      v_facts.access_ends_at := (v_last.facts ->> 'access_ends_at')::timestamptz;
    else
      v_last := private.last_store_event(p_subscription_id);
    end if;
  end if;
  if v_facts.status in ('pending', 'unknown') then
    v_facts.access_ends_at := null;
  elsif v_facts.status not in ('active', 'grace') then
    v_facts.access_ends_at := private.earlier(coalesce(v_facts.access_ends_at, v_facts.expires_at), v_last.confirmed_at);
  end if;
  return v_facts;
end
$$;

-- The earlier of two times; null when one of them is null.
create function private.earlier(p_end timestamptz, p_at timestamptz) returns timestamptz
language sql immutable
return case when p_end <= p_at then p_end when p_at < p_end then p_at end;

-- The last plan that a store stated for a subscription, ignoring products that are not plans. Null when there is none.
create function private.plan_of_events(p_subscription_id uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select p.id from public.store_events e join public.subscription_plans p on p.code = e.facts ->> 'product_id'
    where e.subscription_id = p_subscription_id
    order by e.confirmed_at desc, e.status = 'revoked' desc, (e.facts ->> 'access_ends_at')::timestamptz desc nulls last,
      e.facts desc
    limit 1
  );
end
$$;

-- The facts of a subscription that ended at a time for another reason than the store's statement.
create function private.ended_facts(p_facts private.subscription_facts, p_status text, p_at timestamptz)
returns private.subscription_facts
language plpgsql immutable
set search_path = ''
as $$
begin
  p_facts.status := p_status;
  p_facts.access_ends_at := private.earlier((p_facts).access_ends_at, p_at);
  p_facts.auto_renewing := false;
  p_facts.next_billing_date := null;
  return p_facts;
end
$$;

-- When to query the store of a subscription next, after its statement at p_heard_at; null: from 60 days after the end no
-- change is expected.
create function private.next_query_at(
  p_status text, p_access_ends_at timestamptz, p_needs_acknowledgement boolean, p_heard_at timestamptz
) returns timestamptz
language sql stable
return case
  when p_needs_acknowledgement then p_heard_at + interval '5 minutes'
  when p_status in ('grace', 'on_hold', 'paused', 'pending', 'unknown') then p_heard_at + interval '6 hours'
  when p_status = 'active' and p_access_ends_at > p_heard_at
    then least(p_access_ends_at + interval '5 minutes', p_heard_at + interval '7 days')
  when p_status = 'active' then p_heard_at + interval '1 hour'
  when p_access_ends_at > p_heard_at - interval '60 days' then p_heard_at + interval '7 days'
end;

-- The notification that a user should have of a subscription at a time: granted, failing or ended; null: none.
create function private.subscription_announcement(p_status text, p_access_ends_at timestamptz, p_at timestamptz) returns text
language sql immutable
return case private.status_at(p_status, p_access_ends_at, p_at)
  when 'active' then 'granted' when 'grace' then 'failing' when 'on_hold' then 'failing'
  when 'expired' then 'ended' when 'revoked' then 'ended' when 'paused' then 'ended' end;

-- The name of a plan in both languages, for private.notify.
create function private.plan_names(p_plan_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (select jsonb_build_object('ja', p.name, 'en', coalesce(p.name_en, p.name)) from public.subscription_plans p where p.id = p_plan_id);
end
$$;

-- When another purchase replaced a subscription; null: never.
create function private.superseded_at(p_subscription_id uuid) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select min(n.original_purchase_date)
    from public.user_subscriptions s
    join public.user_subscriptions n on n.supersedes = s.subscription_key and n.platform = s.platform and n.environment = s.environment
    where s.id = p_subscription_id
  );
end
$$;

-- The facts of a subscription from its store's statements, the purchase that replaced it and the acts of administrators.
create function private.folded_facts(p_subscription_id uuid, p_superseded_at timestamptz) returns private.subscription_facts
language plpgsql stable
set search_path = ''
as $$
declare
  v_facts private.subscription_facts := private.stated_facts(p_subscription_id);
  v_act public.store_events;
begin
  if p_superseded_at is not null then
    v_facts := private.ended_facts(v_facts, case v_facts.status when 'revoked' then 'revoked' else 'expired' end, p_superseded_at);
  end if;
  select e.* into v_act from public.store_events e
  where e.subscription_id = p_subscription_id and e.source = 'admin'
  order by e.occurred_at desc, e.event_id desc limit 1;
  if v_act.type = 'REVOKED' then
    v_facts := private.ended_facts(v_facts, 'revoked', v_act.occurred_at);
  end if;
  return v_facts;
end
$$;

-- Notifies the user of a subscription when access is granted, when a renewal fails or recovers, and when access ends,
-- once each.
create function private.announce_subscription(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_row public.user_subscriptions;
  v_announcement text;
begin
  select * into v_row from public.user_subscriptions s where s.id = p_id;
  v_announcement := private.subscription_announcement(v_row.status, v_row.access_ends_at, now());
  if v_row.user_id is null or v_announcement is null or v_announcement = v_row.announced then
    return;
  end if;
  update public.user_subscriptions set announced = v_announcement where id = p_id;
  -- A subscription that had ended when it was first recorded is not announced, nor is the end of one that another purchase
  -- continues.
  if v_announcement = 'granted' or v_row.announced is not null and v_row.superseded_at is null then
    perform private.notify(v_row.user_id,
      'subscription_' || case when v_announcement = 'granted' and v_row.announced = 'failing' then 'recovered' else v_announcement end,
      jsonb_build_object('plan', private.plan_names(v_row.plan_id)), jsonb_build_object('subscription_id', p_id));
  end if;
end
$$;

-- Computes the row of a subscription from its events, with the premium and the notifications of its user. The caller has
-- locked the subscription and its user.
create function private.project_subscription(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_superseded_at constant timestamptz := private.superseded_at(p_id);
  v_facts constant private.subscription_facts := private.folded_facts(p_id, v_superseded_at);
  v_plan_id constant uuid := private.plan_of_events(p_id);
  v_last constant public.store_events := private.last_store_event(p_id);
  v_acknowledged_at constant timestamptz := (select s.acknowledged_at from public.user_subscriptions s where s.id = p_id);
  v_needs_acknowledgement constant boolean :=
    v_last.needs_acknowledgement and v_last.confirmed_at > coalesce(v_acknowledged_at, '-infinity');
  v_user_id uuid;
begin
  update public.user_subscriptions s
  set plan_id = coalesce(v_plan_id, s.plan_id), external_subscription_id = v_facts.external_subscription_id,
    status = v_facts.status, started_at = v_facts.started_at,
    -- A refund, a revocation by an administrator and a replacement end a period early. least ignores null.
    ended_at = case when v_facts.status in ('expired', 'revoked') then least(v_facts.expires_at, v_facts.access_ends_at)
      else v_facts.expires_at end,
    auto_renew_status = v_facts.auto_renew_status, auto_renewing = v_facts.auto_renewing,
    next_billing_date = v_facts.next_billing_date, is_trial_period = v_facts.is_trial_period,
    original_purchase_date = v_facts.original_purchase_date, access_ends_at = v_facts.access_ends_at,
    account_token = v_facts.account_token, superseded_at = v_superseded_at, needs_acknowledgement = v_needs_acknowledgement,
    ask_at = private.next_query_at(v_facts.status, v_facts.access_ends_at, v_needs_acknowledgement, s.heard_at)
  where s.id = p_id returning s.user_id into v_user_id;
  if v_user_id is not null then
    perform private.refresh_premium(v_user_id);
    perform private.announce_subscription(p_id);
  end if;
end
$$;

grant execute on function private.status_at(text, timestamptz, timestamptz) to authenticated;

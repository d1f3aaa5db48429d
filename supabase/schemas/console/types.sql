-- Predicates of the console: acts of administrators, their notifications, the overview and jobs.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- The area of an action: that of the functions which record it. Only administrators with the area read the act. Any other
-- action: admins.
create function private.area_of_act(p_action text) returns text
language sql immutable parallel safe
return case
  when p_action like 'user.%search_preset%' then 'search_presets'
  when split_part(p_action, '.', 1) in ('user', 'subscription') then 'users'
  when split_part(p_action, '.', 1) in ('parking_lot', 'error_report', 'field_value') then 'lots'
  when split_part(p_action, '.', 1) in ('article', 'ad', 'sponsor', 'subscription_plan', 'code', 'tag', 'holiday') then 'content'
  when split_part(p_action, '.', 1) in ('badge', 'level', 'exp_rule', 'theme') then 'rewards'
  when p_action like 'review.%' then 'reviews'
  when p_action like 'support_ticket.%' then 'support'
  when p_action like 'user_notification.%' then 'notifications'
  when p_action like 'store_sync.%' then 'store_sync'
  else 'admins'
end;

grant execute on function private.area_of_act(text) to authenticated; -- a policy calls it

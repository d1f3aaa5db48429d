-- Consumers of queues take turns: one that has done much work calls the next one and ends, because the platform ends a
-- process after two seconds of CPU.
--
-- The definition is that of supabase/schemas after this change. The way back drops the function, after the functions that
-- call it are removed.

create function api.call_next_consumer(p_function text) returns void
language plpgsql
security definer -- the vault and the network are closed to callers
set search_path = ''
as $$
begin
  if not exists (select from private.queues q where q.function = p_function) then
    perform private.raise_error('validation_error', 422, format('No queue has the function %s.', p_function), p_param => 'function');
  end if;
  perform private.call_function(p_function);
end
$$;

comment on function api.call_next_consumer(text) is
  'For a consumer that ends before its queue is empty: calls the function that consumes it once more. Errors: validation_error.';

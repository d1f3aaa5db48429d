-- A stay with one end: the error names the end that is missing. Its message was about the years that are allowed.
--
-- The definition is that of supabase/schemas after this change. The way back: the function without its first branch.

set lock_timeout = '2s';

-- Checks entry and exit of a stay. Errors: validation_error, with the param entry_at or exit_at.
create or replace function private.check_stay(p_entry timestamptz, p_exit timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  -- Beyond these years, offsets have seconds and years have five digits, which clients do not read.
  c_earliest constant timestamptz := timestamptz '2000-01-01 00:00:00+00';
  c_latest constant timestamptz := timestamptz '2100-01-01 00:00:00+00';
begin
  if p_entry is null or p_exit is null then
    perform private.raise_error('validation_error', 422, 'A stay requires entry_at and exit_at.',
      p_param => case when p_entry is null then 'entry_at' else 'exit_at' end);
  elsif p_entry < c_earliest or p_entry >= c_latest then
    perform private.raise_error('validation_error', 422, 'The entry time must be from 2000 to 2099.', 'entry_at');
  elsif p_exit < c_earliest or p_exit >= c_latest then
    perform private.raise_error('validation_error', 422, 'The exit time must be from 2000 to 2099.', 'exit_at');
  elsif p_exit < p_entry then
    perform private.raise_error('validation_error', 422, 'The exit must not be before the entry.', 'exit_at');
  elsif p_exit > p_entry + interval '8784 hours' then
    perform private.raise_error('validation_error', 422, 'A stay must not be longer than 366 days.', 'exit_at');
  end if;
end
$$;

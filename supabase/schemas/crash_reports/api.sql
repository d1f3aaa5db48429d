-- The interface of crash reports: reports of the apps, within a bound of each day.
--
-- Clients and the service call these functions. The rules are in crash_reports.sql.

create function api.report_crash(p_stack text, p_device text, p_app_version text, p_address text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  c_max constant integer := private.crash_report_bound('stack_bytes');
  v_stack text := private.without_personal_data(private.trimmed(p_stack));
  v_device text := private.required_text(p_device, 'public.client_crash_reports', 'device');
  v_version text := private.required_text(p_app_version, 'public.client_crash_reports', 'app_version');
begin
  if v_stack is null or octet_length(p_stack) > 65536 then
    perform private.raise_error('validation_error', 422, 'stack must have 1 to 65536 bytes.', p_param => 'stack');
  end if;
  -- Cut after personal data are removed: half an address would not be recognized.
  v_stack := left(v_stack, c_max);
  while octet_length(v_stack) > c_max loop
    v_stack := left(v_stack, char_length(v_stack) - 1 - (octet_length(v_stack) - c_max) / 4);
  end loop;
  perform private.keep_crash_report(
    private.crash_fingerprint(v_stack), v_stack, v_device, v_version, private.crash_network(p_address)
  );
  return '{"ok": true}';
end
$$;

comment on function api.report_crash(text, text, text, text) is
  'Counts a crash of the app, and keeps the first 8 KiB of the stack of the first one of its kind, version, device and day. p_address: the client''s network address, kept as a keyed hash of its network (IPv4 /24, IPv6 /48). At most 4 MiB a day and 100 rows a network and day: beyond them it replaces a row of the network that added most. For the service. Errors: validation_error.';

-- Predicates of crash reports: reports of the apps, within a bound of each day.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- The bounds of what crash reports store: stack_bytes, bytes_a_day, rows_a_network, networks_a_row.
create function private.crash_report_bound(p_name text) returns integer
language sql immutable parallel safe
return case p_name
  when 'stack_bytes' then 8192 -- the part that private.crash_fingerprint reads
  when 'bytes_a_day' then 4194304
  when 'rows_a_network' then 100 -- in a day
  when 'networks_a_row' then 50 -- the number is exact up to this
end;

-- The bytes of a row and of its networks in the sum of its day.
create function private.crash_report_size(p_stack text, p_device text, p_app_version text, p_networks integer)
returns integer
language sql immutable parallel safe
-- Device and version are in an index as well; the rest of a row and its index entries has about 500 bytes, and a row of
-- crash_report_sources with its index entry about 150.
return octet_length(p_stack) + 2 * (octet_length(p_device) + octet_length(p_app_version)) + 500 + 150 * p_networks;

-- Constraints and generated columns call these as the role that writes the row.

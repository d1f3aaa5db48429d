-- Predicates of files: uploads, their totals, publication and pictures.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- The bounds of the files of an account: bytes, bytes_a_day, files_a_day.
create function private.file_bound(p_name text) returns bigint
language sql immutable parallel safe
return case p_name
  when 'bytes' then 524288000 -- 500 MiB
  when 'bytes_a_day' then 209715200 -- 200 MiB
  when 'files_a_day' then 200
end;

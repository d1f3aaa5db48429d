-- Totals of files: how many bytes the files of an account have, and how many a day adds.
--
-- Without it, attached files would fill object storage, because only unattached ones are bounded one by one
-- (files/uploads.sql). Triggers on assets keep a row for each account. Its constraints are the bounds, so that they hold
-- for every writer, and a transaction that adds a file locks the row, so that they hold for uploads at once.
--
-- The declared size counts, because the signed address takes no other one. A file counts until its row is deleted, which
-- follows its object. A deletion does not reduce the day: otherwise uploading and deleting in turn would have no bound.
-- Pictures of lots belong to the lot and not to the administrator who uploads them: they do not count.
--
-- Invariants: bytes is the sum of the account's rows in assets.
-- Interface: private.check_file_totals, for uploads.

-- ---------------------------------------------------------------------------------------------------------------------
-- Keeping the totals
-- ---------------------------------------------------------------------------------------------------------------------

-- Adds files that a statement added, changed or deleted to the totals of their uploaders, in the order of the users, because
-- a sweep deletes files of many. Added bytes and files count for their day. A sum beyond a bound violates a constraint.
create function private.tg_assets__count_bytes() returns trigger
language plpgsql
security definer -- no role may write the totals directly
set search_path = ''
as $$
declare
  -- What changed for each user: the bytes, and as day_files the files.
  v_changes private.file_totals[];
  v_change private.file_totals;
begin
  if tg_op = 'UPDATE' then
    -- Most updates change neither uploader nor size nor category: for them no user is left.
    v_changes := array(
      select row (f.created_by, sum(f.sign * coalesce(f.size_bytes, 0)), null, null, sum(f.sign))::private.file_totals
      from (
        select 1 as sign, r.created_by, r.size_bytes, r.category from rows_changed r
        union all select -1, b.created_by, b.size_bytes, b.category from rows_before b
      ) f
      where f.created_by is not null and f.category <> 'parking_lot'
      group by f.created_by having sum(f.sign * coalesce(f.size_bytes, 0)) <> 0 or sum(f.sign) <> 0 order by f.created_by
    );
  else
    v_changes := array(
      select row (r.created_by, s.sign * coalesce(sum(r.size_bytes), 0), null, null, s.sign * count(*))::private.file_totals
      from rows_changed r cross join (values (case tg_op when 'INSERT' then 1 else -1 end)) as s (sign)
      where r.created_by is not null and r.category <> 'parking_lot'
      group by r.created_by, s.sign order by r.created_by
    );
  end if;
  foreach v_change in array v_changes loop
    if v_change.bytes <= 0 and v_change.day_files <= 0 then
      update private.file_totals t set bytes = t.bytes + v_change.bytes where t.user_id = v_change.user_id;
    else
      insert into private.file_totals as t (user_id, bytes, day, day_bytes, day_files)
      values (v_change.user_id, greatest(v_change.bytes, 0), (now() at time zone 'UTC')::date, greatest(v_change.bytes, 0),
        greatest(v_change.day_files, 0))
      on conflict (user_id) do update set
        bytes = t.bytes + v_change.bytes,
        -- A day that has not begun yet was written before the clock was set back: it goes on.
        day = greatest(t.day, excluded.day),
        day_bytes = excluded.day_bytes + case when t.day >= excluded.day then t.day_bytes else 0 end,
        day_files = excluded.day_files + case when t.day >= excluded.day then t.day_files else 0 end;
    end if;
  end loop;
  return null;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Uploads
-- ---------------------------------------------------------------------------------------------------------------------

-- Checks that a user may start an upload of this size, given the totals of their files. The caller has locked the
-- account. Errors: conflict, rate_limited.
create function private.check_file_totals(p_user_id uuid, p_file_size bigint) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_max_bytes constant bigint := private.file_bound('bytes');
  c_max_day_bytes constant bigint := private.file_bound('bytes_a_day');
  c_max_day_files constant bigint := private.file_bound('files_a_day');
  v_now constant timestamp := clock_timestamp() at time zone 'UTC';
  v_total private.file_totals;
begin
  select * into v_total from private.file_totals t where t.user_id = p_user_id;
  if v_total.bytes + p_file_size > c_max_bytes then
    perform private.raise_error('conflict', 409,
      format('The files of an account have at most %s bytes together. Delete some that you do not need, then retry.', c_max_bytes),
      p_param => 'file_size',
      p_details => jsonb_build_object('reason', 'too_many_stored_bytes', 'max_bytes', c_max_bytes, 'bytes', v_total.bytes));
  end if;
  if v_total.day >= (now() at time zone 'UTC')::date
    and (v_total.day_files >= c_max_day_files or v_total.day_bytes + p_file_size > c_max_day_bytes) then
    perform private.raise_error('rate_limited', 429,
      format('At most %s uploads and %s bytes are allowed a day (UTC). Retry after details.retry_after seconds.',
        c_max_day_files, c_max_day_bytes),
      p_param => 'file_size',
      p_details => jsonb_build_object(
        'policy', 'daily_uploads', 'max_uploads', c_max_day_files, 'max_bytes', c_max_day_bytes,
        'uploads', v_total.day_files, 'bytes', v_total.day_bytes,
        'retry_after', greatest(1, ceil(extract(epoch from (v_total.day + 1)::timestamp - v_now)))::integer
      ));
  end if;
end
$$;

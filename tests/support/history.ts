// Users with past activities that have not been counted yet, for a rebuild of badges.
import type { Sql } from "postgres";

/**
 * So many users, `person 1` and on, with up to so many activities over a year at lots `lot 1` to `lot 2000`; ids are the md5 of those
 * names. Some have done much, most little.
 */
export async function seedHistory(sql: Sql, users: number, activities: number): Promise<void> {
  await sql`
    insert into auth.users (id, email)
    select md5('person ' || n)::uuid, 'person' || n || '@example.test' from generate_series(1, ${users}::integer) as n`;
  await sql`
      insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata, created_at)
      select md5('person ' || 1 + floor(${users}::integer * random() ^ 1.5))::uuid, d.activity_type,
        case when d.activity_type <> 'sponsor_checkin' then md5('lot ' || 1 + floor(2000 * random() ^ 2))::uuid end,
        gen_random_uuid(),
        case when d.activity_type = 'session_end'
          then jsonb_build_object('minutes', floor(600 * random() ^ 2), 'currency', 'JPY', 'total_amount', 400)
          else '{}' end,
        now() - random() * interval '365 days'
      from (
        select (array[
          'session_start', 'session_end', 'session_start', 'session_end', 'session_end', 'field_confirm', 'field_deny',
          'lot_save', 'occupancy_report', 'sponsor_checkin'
        ])[1 + floor(10 * random())] as activity_type
        from generate_series(1, ${activities}::integer)
      ) d
      on conflict do nothing`; // a lot is saved once
}

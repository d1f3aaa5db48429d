-- Realtime: the row changes that clients receive.
--
-- Row changes are published through the publication supabase_realtime. Realtime sends a subscriber a change when the row,
-- as it is when Realtime evaluates the change, passes the table's SELECT policy for the subscriber's role and claims. It
-- sends the columns which that role may select.
-- It checks nothing else. So every restriction is in those policies and grants: notifications that are not sent or not for
-- the inbox, and all rows of users or administrators who are not active. The policies check the status inline: a function
-- would cost twice the rest of a check, and there is a check for each subscriber of each change. Only the policies for
-- administrators call one, for the second factor: they have few subscribers.
--
-- A delete is different: its row is deleted and no policy applies. Every subscriber of the table whose filter passes gets
-- it, with only the primary key. These keys are random ids, of a notification with its status; no published table may have
-- a key with more information. A filter on user_id never passes a delete, because the key does not contain it.
--
-- Replica identity stays the primary key: no channel needs the old row, and the whole old row, with the breakdown of a
-- session, would be written to the log with each update.
--
-- Channels. Any client can join a public channel under any name, and send and be present there: everyone with the
-- publishable key could send to another user's topic. For a private channel the policies of realtime.messages decide
-- whether the caller may read and write its topic. They open the five topics of this service to the users whose rows they
-- carry, and no other topic. No one may write, because clients never send anything. Clients join with `private: true`, and
-- a hosted project turns "Allow public access" off (docs/operations/deploy.md).
--
-- Invariants: five tables are published, each with its own primary key, row security and a SELECT policy. No role may write
-- to a private channel.
-- Interface: the publication; the policies of realtime.messages.

do $publication$
begin
  -- The platform creates it; a bare database has none.
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$publication$;

alter publication supabase_realtime add table
  public.user_notifications, -- user_notifications:user_id=eq.{uid}
  public.parking_sessions, -- parking_sessions:user_id=eq.{uid}
  public.user_badges, -- user_badges:user_id=eq.{uid}
  public.user_activity_logs, -- live-user-activity
  public.admin_notifications; -- admin-notifications-sidebar

-- The platform's table, with row security on. Realtime checks access with a row of the topic that it rolls back, and keeps
-- nothing. The policy checks the status itself, as the policies of the five tables do.
create policy "Users join their own topics, administrators the console's" on realtime.messages for select to authenticated
  using (
    extension = 'broadcast'
    and case
      when (select realtime.topic()) in ('live-user-activity', 'admin-notifications-sidebar') then
        (select private.has_second_factor()) and exists (
          select from public.admins a where a.id = (select auth.uid()) and a.status = 'active'
            -- Where users park, and when.
            and ((select realtime.topic()) <> 'live-user-activity' or 'users' = any (a.areas))
        )
      when (select realtime.topic()) in (
        'user_notifications:user_id=eq.' || (select auth.uid()),
        'parking_sessions:user_id=eq.' || (select auth.uid()),
        'user_badges:user_id=eq.' || (select auth.uid())
      ) then
        exists (select from public.app_users u where u.id = (select auth.uid()) and u.status = 'active')
      else false
    end
  );
-- No insert: no one sends to a private channel or is present there, so presence is not selected either.

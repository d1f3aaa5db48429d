-- Realtime: the changes of rows that clients hear of, and nothing else.
--
-- Row changes go out through the publication supabase_realtime. Realtime shows a subscriber a change when the row, as it is
-- when the change is looked at, passes the table's SELECT policy for the subscriber's role and claims, and shows of it the
-- columns which that role may select. It asks nothing else, so that whatever a subscriber must not hear of stands in those
-- policies and grants, beside each table: a notification that is not sent or not for the inbox, and everything of a person
-- or an administrator who is not active. They ask for the standing themselves: a function that asked would cost twice the
-- rest of a look, and there is a look for each subscriber of each change.
--
-- A delete is different: its row is gone and no policy is asked. Whoever may subscribe to the table and whose filter passes
-- gets it, and of it only the primary key. These keys are random ids, of a notification with its status; no table that is
-- published may have a key that says more. A filter on user_id never passes a delete, because the key does not hold it.
--
-- Replica identity stays the primary key: none of the channels needs the row as it was, and the whole old row, with the
-- breakdown of a session, would be written to the log with each update.
--
-- Channels. Realtime lets anybody join a public channel under any name, and send and be present there: everyone with the
-- publishable key could send to another's topic. A private channel asks the policies of realtime.messages whether the
-- caller may read and write its topic. They open the five topics of this service to those whose rows they carry and no
-- other topic to anybody; nobody may write, because nothing is ever sent by clients. Clients join with `private: true`,
-- and a hosted project turns "Allow public access" off (docs/operations/deploy.md).
--
-- Invariants: five tables are published, each with a primary key of its own, row security and a SELECT policy; nobody may
-- write to a private channel.
-- Interface: the publication; the policies of realtime.messages.

do $publication$
begin
  -- The platform makes it; a bare database has none.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

-- The platform's table, with row security on. Realtime asks with a row of the topic that it takes back, and keeps nothing.
-- The policy asks for the standing itself, as the policies of the five tables do.
create policy "People join their own topics, administrators the console's" on realtime.messages for select to authenticated
  using (
    extension = 'broadcast'
    and case
      when (select realtime.topic()) in ('live-user-activity', 'admin-notifications-sidebar') then
        exists (select from public.admins a where a.id = (select auth.uid()) and a.status = 'active')
      when (select realtime.topic()) in (
        'user_notifications:user_id=eq.' || (select auth.uid()),
        'parking_sessions:user_id=eq.' || (select auth.uid()),
        'user_badges:user_id=eq.' || (select auth.uid())
      ) then
        exists (select from public.app_users u where u.id = (select auth.uid()) and u.status = 'active')
      else false
    end
  );
-- No insert: nobody sends to a private channel or is present there, so that presence is not selected either.

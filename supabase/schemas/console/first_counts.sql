-- The first counts of the overview, so that it has every part before its jobs run.
--
-- This is the last file: it counts what the others have made.

select private.refresh_overview_now();

select private.refresh_delivery_figures();

-- The first count of the overview, which needs the subscriptions.
select private.refresh_overview();

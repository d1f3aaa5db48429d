-- Outcomes of pushes: the rows that were there are checked, while others read and write.
-- The way back is none: the constraint holds.

alter table private.push_deliveries validate constraint push_deliveries_outcome_known;

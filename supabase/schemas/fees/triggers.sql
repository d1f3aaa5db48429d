-- Triggers of the tables of fees, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.pricing_groups
-- ---------------------------------------------------------------------------------------------------------------------

-- Compiles the tariffs and hour_price of the lots whose groups a statement changed, and queues these lots (lots/lots.sql).
select private.watch('public.pricing_groups', '{insert,update,delete,truncate}', '_900_refresh_lots',
  'private.tg_lot_rows__refresh_lots', 'prices');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.pricing_rules
-- ---------------------------------------------------------------------------------------------------------------------

-- Compiles the tariffs and hour_price of the lots whose rules a statement changed, writes their search entries, and
-- queues them (lots/lots.sql).
select private.watch('public.pricing_rules', '{insert,update,delete,truncate}', '_900_refresh_lots',
  'private.tg_lot_rows__refresh_lots', 'prices', 'search');

-- Types of lots: parking lots with their operators, tags, images and spots; import and engagement.
-- They come before the tables, because columns, functions and other types use them.

create type private.lot_filter as (status text, operator_code text, source text, patterns text[], terms text[]);

comment on type private.lot_filter is
  'The filter of the console''s search for lots; null: any. patterns (for like) and terms are those of the words of a text.';

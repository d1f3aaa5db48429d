-- Predicates of the community: reviews, ratings, saved lots, votes on fields, occupancy and error reports of users.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- The position of a state in the console's list of field values.
create function private.field_value_rank(p_state text) returns integer
language sql immutable parallel safe
return array_position('{disputed,unverified,confirmed,retired}', p_state);

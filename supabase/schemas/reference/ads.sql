-- Advertisements of the app's placements, shown as often as their weights say.
--
-- The order of a list is random, as a function of the advertisement and a seed. With u = (first 52 bits of md5(seed ':' id)
-- + 1/2) / 2^52, a number between 0 and 1, the list is ordered by -ln(u) / weight, smallest first. That is a weighted
-- sample without replacement: an advertisement of weight w is first in w of every sum(w) seeds, and so on for the following
-- places.
-- The same seed gives the same order. An advertisement that is added or removed leaves the others in their order, so pages
-- neither repeat nor lose one. Without a seed it is the day in Tokyo; a cursor keeps its seed after midnight.
--
-- Invariants: lists contain only active advertisements in their period.
-- Interface: api.list_ads. Administrators write the rows (api.admin_create_ad and related functions).

-- The position of an advertisement among others with this seed: smallest first.
create function private.ad_rank(p_ad_id uuid, p_weight integer, p_seed text) returns double precision
language sql immutable parallel safe
return -ln(
  (('x' || left(md5(p_seed || ':' || p_ad_id::text), 13))::bit(52)::bigint + 0.5::double precision) / 4503599627370496
) / p_weight;

grant execute on function private.ad_rank(uuid, integer, text) to anon, authenticated;

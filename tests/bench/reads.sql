-- What the ranked nearby and the detail of a lot cost in the database: each question is asked in rounds, as anon, and its least
-- time counts, because the machine has other work. Printed are the means of these over all places or lots.

create temporary table asked_place as
select row_number() over (order by md5(name)) as n, lat, lng
from public.parking_lots where address like '%, City 1' order by md5(name) limit 40;

create temporary table asked_lot as
select k.kind, k.n, k.id
from (
  select l.id, h.kind, row_number() over (partition by h.kind order by md5(l.name)) as n
  from public.parking_lots l
  join (
    select parking_lot_id as id, case when bool_or(open_time is not null) then 'day hours' else '24 hours' end as kind
    from public.parking_lot_windows group by parking_lot_id
  ) h using (id)
  where l.address like '%, City 1'
) k
where k.n <= 40;

grant select on asked_place, asked_lot to anon;
set role anon;

do $$
declare
  c_rounds constant integer := 12;
  c_entry constant timestamptz := '2026-11-25T10:00:00+09:00';
  c_stay constant jsonb := jsonb_build_object('entry_at', c_entry, 'exit_at', c_entry + interval '3 hours');
  v_question record;
  v_one record;
  v_least double precision[];
  v_started timestamptz;
begin
  for v_question in
    select * from (values
      ('nearby, 60 minutes from now', '{}'::jsonb, null),
      ('nearby, a stay of three hours', c_stay, null),
      ('nearby, a stay of three days', c_stay || jsonb_build_object('exit_at', c_entry + interval '3 days'), null),
      ('nearby, open now', '{"open_now": true}', null),
      ('nearby, a stay of three hours, at most 800 yen', c_stay || '{"max_price": 800}', null),
      ('detail of a lot with 24 hours', null, '24 hours'),
      ('detail of a lot with 24 hours, with a stay', c_stay, '24 hours'),
      ('detail of a lot with day hours', null, 'day hours'),
      ('detail of a lot with day hours, with a stay', c_stay, 'day hours')
    ) as v (name, stay, kind)
  loop
    v_least := '{}';
    for v_round in 0..c_rounds loop
      for v_one in
        select n, lat, lng, null::uuid as id from asked_place where v_question.kind is null
        union all
        select n, null, null, id from asked_lot where kind = v_question.kind
      loop
        v_started := clock_timestamp();
        if v_question.kind is null then
          perform api.nearby_parking_lots(v_one.lat, v_one.lng, 1500, 50, v_question.stay, 'recommended')::text;
        else
          perform api.get_parking_lot(
            v_one.id, '{}', (v_question.stay ->> 'entry_at')::timestamptz, (v_question.stay ->> 'exit_at')::timestamptz
          )::text;
        end if;
        -- The first round warms up.
        if v_round > 0 then
          v_least[v_one.n] := least(v_least[v_one.n], 1000 * extract(epoch from clock_timestamp() - v_started));
        end if;
      end loop;
    end loop;
    raise notice '% ms  %', to_char((select avg(t) from unnest(v_least) as t), '90.00'), v_question.name;
  end loop;
end
$$;

-- The part of the fees and that of their surprises in a ranked reply of 50 lots, by turns at each place. Printed are medians of
-- the rounds, and how often the surprises cost the fees of the same round.
do $$
declare
  c_rounds constant integer := 12;
  c_places constant integer := (select count(*) from asked_place);
  c_entry constant timestamptz := '2026-11-25T10:00:00+09:00';
  v_stay record;
  v_place record;
  v_lot_ids uuid[];
  v_bills private.stay_bill[];
  v_fees double precision[];
  v_surprises double precision[];
  v_started timestamptz;
  v_priced timestamptz;
  v_some integer;
  v_medians record;
begin
  for v_stay in select * from (values
    ('three hours', interval '3 hours'), ('a day', '1 day'), ('three days', '3 days'), ('31 days', '31 days')
  ) as v (name, length) loop
    -- The first round warms up.
    for v_round in 0..c_rounds loop
      v_fees[v_round] := 0;
      v_surprises[v_round] := 0;
      v_some := 0;
      for v_place in select * from asked_place loop
        v_lot_ids := (private.nearest_lots(v_place.lat, v_place.lng, 1500, 50)).lot_ids;
        v_started := clock_timestamp();
        select array_agg(f.bill) into v_bills
        from private.stay_fees(v_lot_ids, 'standard', c_entry, c_entry + v_stay.length) f;
        v_priced := clock_timestamp();
        v_some := v_some + (
          select count(*) from private.stay_surprises(
            v_bills, 'standard', c_entry, c_entry + v_stay.length, '{}', '{}'
          ) s
          where s.surprises <> '[]'
        );
        v_fees[v_round] := v_fees[v_round] + 1000 * extract(epoch from v_priced - v_started);
        v_surprises[v_round] := v_surprises[v_round] + 1000 * extract(epoch from clock_timestamp() - v_priced);
      end loop;
    end loop;
    select percentile_cont(0.5) within group (order by r.fee) / c_places as fees,
      percentile_cont(0.5) within group (order by r.surprise) / c_places as surprises,
      percentile_cont(0.5) within group (order by r.surprise / r.fee) as times
    into v_medians
    from unnest(v_fees[1:], v_surprises[1:]) as r (fee, surprise);
    raise notice '% ms  fees of 50 lots, %', to_char(v_medians.fees, '90.00'), v_stay.name;
    raise notice '% ms  their surprises, which % of them have: % times the fees', to_char(v_medians.surprises, '90.00'),
      v_some / c_places, to_char(v_medians.times, '90.00');
  end loop;
end
$$;

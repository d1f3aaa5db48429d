/** A session that has ended: the receipt, the memo and the photos. */
import { label } from "../../codes.ts";
import { dateTime, duration, money } from "../../format.ts";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { FeeLines, RefusalNote } from "../../ui/fee_lines.tsx";
import { Field, Form, TextArea } from "../../ui/form.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";
import type { components } from "parking-lot-client";
import { useState } from "preact/hooks";
import { pageTexts } from "../../texts/pages.ts";

type Detail = components["schemas"]["ParkingSessionDetail"];

const text = pageTexts(({ session }) => session.sessionDetail);

export function SessionDetail({ id }: { id: string }) {
  const load = useLoad(
    async (signal) => (await client.GET("/v1/me/parking-sessions/{id}", { params: { path: { id } }, signal })).data,
    [id],
  );
  return (
    <>
      <p>
        <a href={href("/session")}>{text.value.back}</a>
      </p>
      <Loaded load={load}>{(session) => <Receipt session={session} />}</Loaded>
    </>
  );
}

function Receipt({ session }: { session: Detail }) {
  const t = text.value;
  const { breakdown, started_at, ended_at, currency } = session;
  return (
    <>
      <h1>{titleOf(session)}</h1>
      <dl class="session-facts">
        <dt>{t.lot}</dt>
        <dd>
          <a href={href(`/lots/${session.parking_lot_id}`)}>{session.parking_lot_name}</a>
        </dd>
        {started_at && (
          <>
            <dt>{t.from}</dt>
            <dd>{dateTime(started_at)}</dd>
          </>
        )}
        {ended_at && (
          <>
            <dt>{t.to}</dt>
            <dd>{dateTime(ended_at)}</dd>
          </>
        )}
        {started_at && ended_at && (
          <>
            <dt>{t.stay}</dt>
            <dd>{duration((Date.parse(ended_at) - Date.parse(started_at)) / 60_000)}</dd>
          </>
        )}
      </dl>
      {breakdown && (
        <section>
          <h2>{t.fee}</h2>
          {"refusal" in breakdown
            ? <RefusalNote refusal={breakdown.refusal} />
            : <FeeLines breakdown={breakdown} currency={currency ?? "JPY"} />}
        </section>
      )}
      {session.photos.length > 0 && (
        <section>
          <h2>{t.photos}</h2>
          <ul class="session-photos">
            {session.photos.map(({ id, url, phase, slot }) => (
              <li key={id}>
                <img src={url} alt={t.photo(label("session_photo_phase", phase), slot)} loading="lazy" />
              </li>
            ))}
          </ul>
        </section>
      )}
      <SessionNotes session={session} />
    </>
  );
}

function titleOf({ status, total_amount_minor, currency }: Detail): string {
  if (status !== "ended") return label("session_status", status);
  if (total_amount_minor === null) return text.value.unknown;
  return `${text.value.paid}: ${money(total_amount_minor, currency ?? undefined)}`;
}

function SessionNotes({ session }: { session: Detail }) {
  const [isSaved, setSaved] = useState(false);
  const t = text.value;
  return (
    <section>
      <h2>{t.notes}</h2>
      <Form
        submit={t.save}
        onSubmit={async (values) => {
          setSaved(false);
          const textOf = (name: string) => String(values.get(name) ?? "") || null;
          const body = { memo: textOf("memo"), personal_rating: textOf("personal_rating") };
          await client.PATCH("/v1/me/parking-sessions/{id}", { params: { path: { id: session.id } }, body });
          setSaved(true);
        }}
      >
        <TextArea name="memo" label={t.memo} rows={3} maxLength={1000} defaultValue={session.memo ?? ""} />
        <Field
          name="personal_rating"
          label={t.rating}
          hint={t.ratingHint}
          maxLength={50}
          defaultValue={session.personal_rating ?? ""}
        />
      </Form>
      <p role="status">{isSaved && t.saved}</p>
    </section>
  );
}

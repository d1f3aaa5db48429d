/** A session that has ended: the receipt, which prints, the memo and the photos. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { ParkingSessionUpdate } from "../../bounds.ts";
import { label } from "../../codes.ts";
import { dateTime, duration } from "../../format.ts";
import { deliver } from "../../outbox.ts";
import { href, place } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Amount } from "../../ui/amount.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { boundsText, FeeLines, RefusalNote } from "../../ui/fee_lines.tsx";
import { Field, Form, TextArea } from "../../ui/form.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { type Outcome, OutcomeNote, outcomeOf } from "../../ui/outcome_note.tsx";
import { MachineAmountField, reportDifference, useMachineAmount } from "./machine_amount.tsx";
import { SessionPhotos } from "./session_photos.tsx";

type Detail = components["schemas"]["ParkingSessionDetail"];

const text = pageTexts(({ session }) => session.sessionDetail);

export function SessionDetail({ id }: { id: string }) {
  const load = useLoad(
    async (signal) => (await client.GET("/v1/me/parking-sessions/{id}", { params: { path: { id } }, signal })).data,
    [id],
  );
  return (
    <>
      <p class="session-back">
        <a href={href("/session")}>{text.value.back}</a>
      </p>
      <Loaded load={load}>
        {(session) => (
          <>
            <Receipt session={session} />
            {session.status === "ended" && <WrongAmount session={session} />}
            <section class="session-own">
              <h2>{text.value.photos}</h2>
              <SessionPhotos sessionId={session.id} phase="after" />
            </section>
            <SessionNotes session={session} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Receipt({ session }: { session: Detail }) {
  const t = text.value;
  const { breakdown, started_at, ended_at, total_amount_minor, vehicle_type } = session;
  const currency = session.currency ?? "JPY";
  const rows = [
    [t.lot, <a key="lot" href={href(`/lots/${session.parking_lot_id}`)}>{session.parking_lot_name}</a>],
    [t.from, started_at && dateTime(started_at)],
    [t.to, ended_at && dateTime(ended_at)],
    [t.stay, started_at && ended_at && duration((Date.parse(ended_at) - Date.parse(started_at)) / 60_000)],
    [t.vehicle, vehicle_type && label("vehicle_type", vehicle_type)],
  ] as const;
  return (
    <section class="card receipt">
      <h1 class="shown">{session.status === "ended" ? t.title : label("session_status", session.status)}</h1>
      {session.status === "ended" && (
        <>
          <p class="small">{t.byRules}</p>
          {total_amount_minor === null ? <p class="receipt-unknown">{t.unknown}</p> : (
            <p class="figure">
              <Amount value={total_amount_minor} currency={currency} />
            </p>
          )}
          {place.value.query.has("reported") && <p class="notice" role="status">{t.reported}</p>}
        </>
      )}
      <dl class="session-rows">
        {rows.filter(([, value]) => Boolean(value)).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {breakdown && (
        <>
          <h2>{t.fee}</h2>
          {"refusal" in breakdown
            ? (
              <>
                <p>{boundsText(breakdown.refusal)}</p>
                <RefusalNote refusal={breakdown.refusal} />
              </>
            )
            : <FeeLines breakdown={breakdown} currency={currency} />}
        </>
      )}
      {session.status === "ended" && (
        <>
          <p class="small">{t.notPaid}</p>
          <button type="button" class="receipt-print" onClick={() => print()}>{t.print}</button>
        </>
      )}
    </section>
  );
}

/** The machine charged another amount: said later, with the receipt in hand. */
function WrongAmount({ session }: { session: Detail }) {
  const t = text.value;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <p class="session-wrong">
      <button type="button" class="link" onClick={() => setIsOpen(true)}>{t.wrongAmount}</button>
      {isOpen && (
        <Dialog title={t.wrongAmount} onClose={() => setIsOpen(false)}>
          <WrongAmountForm session={session} />
        </Dialog>
      )}
    </p>
  );
}

function WrongAmountForm({ session }: { session: Detail }) {
  const t = text.value;
  const machine = useMachineAmount("other");
  const [isSent, setIsSent] = useState<boolean>();
  const { total_amount_minor: calculated, ended_at } = session;
  const currency = session.currency ?? "JPY";
  if (isSent === true) return <p class="notice" role="status">{t.reported}</p>;
  return (
    <Form
      submit={t.report}
      onSubmit={async () => setIsSent(await reportDifference(machine, session, ended_at!, calculated, currency))}
    >
      <MachineAmountField machine={machine} calculated={calculated} currency={currency} />
      <p class="small" role="status">{isSent === false && t.nothingToReport}</p>
    </Form>
  );
}

function SessionNotes({ session }: { session: Detail }) {
  const [outcome, setOutcome] = useState<Outcome>();
  const t = text.value;
  return (
    <section class="session-own">
      <h2>{t.notes}</h2>
      <Form
        submit={t.save}
        onSubmit={async (values) => {
          setOutcome(undefined);
          const textOf = (name: string) => String(values.get(name) ?? "") || null;
          const body = { memo: textOf("memo"), personal_rating: textOf("personal_rating") };
          const params = { path: { id: session.id } };
          const saved = await deliver(
            "session_notes",
            (keyed) => client.PATCH("/v1/me/parking-sessions/{id}", { params, body, ...keyed }),
          );
          setOutcome(outcomeOf(saved));
        }}
      >
        <TextArea
          name="memo"
          label={t.memo}
          rows={3}
          {...ParkingSessionUpdate.memo}
          defaultValue={session.memo ?? ""}
        />
        <Field
          name="personal_rating"
          label={t.rating}
          hint={t.ratingHint}
          {...ParkingSessionUpdate.personal_rating}
          defaultValue={session.personal_rating ?? ""}
        />
      </Form>
      <OutcomeNote outcome={outcome} sent={t.saved} />
    </section>
  );
}

/// <reference lib="dom" />
/** The text of a sign as rules: what was read, what was not, and eight stays beside today's. Saving is the editor's. */
import { useState } from "preact/hooks";
import type { ResponseBody } from "parking-lot-client";
import { TariffText } from "../../../../bounds.ts";
import { dateTime, money } from "../../../../format.ts";
import { newKey } from "../../../../keys.ts";
import { language } from "../../../../language.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { ErrorNote } from "../../../../ui/error_note.tsx";
import { useAction } from "../../../../ui/load.tsx";
import { limited } from "../../../../ui/validity.ts";
import { client } from "../../../kit/access.ts";
import { type Draft, type Lot, newRule } from "./tariff.ts";

const text = consoleTexts(({ prices }) => prices.sign);

type Reading = ResponseBody<"/v1/admin/tariff-text", "post">;
type Stays = NonNullable<Reading["stays"]>;

/** `onTake` puts the rules into the editor. */
export function SignText({ lot, onTake }: { lot: Lot; onTake: (rules: readonly Draft[]) => void }) {
  const t = text.value;
  const [sign, setSign] = useState("");
  const [read, setRead] = useState<{ readonly sign: string; readonly reading: Reading } | undefined>();
  const action = useAction(async () => {
    const { data } = await client.POST("/v1/admin/tariff-text", { body: { text: sign, parking_lot_id: lot.id } });
    setRead({ sign, reading: data });
  });
  const reading = read?.reading;
  return (
    <details class="price-sign">
      <summary>{t.title}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <label class="field">
          <span>{t.text}</span>
          <textarea
            rows={4}
            required
            {...limited(TariffText.text)}
            value={sign}
            onInput={(event) => setSign(event.currentTarget.value)}
          />
        </label>
        <button type="submit" aria-busy={action.isRunning}>{t.read}</button>
        {action.error !== undefined && <ErrorNote error={action.error} />}
      </form>
      {read && reading && (
        <div role="status">
          <p class={reading.is_accepted ? undefined : "wrong"}>{reading.is_accepted ? t.accepted : t.refused}</p>
          {reading.is_accepted ? <Rewritten reading={reading} /> : <Marked {...read} />}
          {reading.stays && <Compared stays={reading.stays} lot={lot} />}
          <button
            type="button"
            disabled={!reading.is_accepted}
            onClick={() => onTake(draftsOf(reading))}
          >
            {t.take}
          </button>
        </div>
      )}
    </details>
  );
}

function draftsOf(reading: Reading): Draft[] {
  return reading.rules.map(({ rule_order: _, ...rule }) => ({
    ...newRule(rule.category, newKey(), null),
    ...rule,
  }));
}

function Rewritten({ reading }: { reading: Reading }) {
  const { ja, en } = reading.text!;
  return (
    <figure>
      <figcaption class="small">{text.value.rewritten}</figcaption>
      <pre class="sign-text" lang={language.value}>{language.value === "ja" ? ja : en}</pre>
    </figure>
  );
}

/** The text with the unread stretches marked, and each of them with its reason. */
function Marked({ sign, reading }: { sign: string; reading: Reading }) {
  const t = text.value;
  const pieces: { readonly text: string; readonly isUnread: boolean }[] = [];
  let at = 0;
  for (const { from, to } of reading.unread) {
    if (to <= at) continue;
    pieces.push({ text: sign.slice(at, Math.max(at, from)), isUnread: false });
    pieces.push({ text: sign.slice(Math.max(at, from), to), isUnread: true });
    at = to;
  }
  pieces.push({ text: sign.slice(at), isUnread: false });
  return (
    <>
      <pre class="sign-text">
        {pieces.map(({ text, isUnread }, index) => isUnread ? <mark key={index}>{text}</mark> : text)}
      </pre>
      <ul>
        {reading.unread.map(({ from, to, reason }) => (
          <li key={`${from} ${to} ${reason}`}>
            <q>{sign.slice(from, to)}</q> {t.reasons[reason]}
          </li>
        ))}
      </ul>
    </>
  );
}

function Compared({ stays, lot }: { stays: Stays; lot: Lot }) {
  const t = text.value;
  const shown = (fee: Stays[number]["next"]) =>
    fee === null || fee.total_amount === null ? t.noPrice : money(fee.total_amount, lot.currency);
  return (
    <table class="price-stays">
      <caption class="visually-hidden">{t.compared}</caption>
      <thead>
        <tr>
          <th scope="col">{t.stay}</th>
          <th scope="col">{t.entry}</th>
          <th scope="col" class="number">{t.today}</th>
          <th scope="col" class="number">{t.next}</th>
        </tr>
      </thead>
      <tbody>
        {stays.map(({ name, entry_at, today, next }) => (
          <tr key={name}>
            <th scope="row">{t.stays[name]}</th>
            <td>{dateTime(entry_at, lot.time_zone)}</td>
            <td class="number">{shown(today)}</td>
            <td class="number">
              <strong>{shown(next)}</strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

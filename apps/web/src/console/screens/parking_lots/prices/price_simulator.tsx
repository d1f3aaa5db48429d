/// <reference lib="dom" />
/** The prices of a lot as sentences, with the fees of before and after beside them, and one save. */
import { useMemo, useState } from "preact/hooks";
import { ApiError } from "parking-lot-client";
import { ErrorReportDecision } from "../../../../bounds.ts";
import { options } from "../../../../codes.ts";
import { money, timeOfDay } from "../../../../format.ts";
import { newKey } from "../../../../keys.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { ErrorNote } from "../../../../ui/error_note.tsx";
import { useAction } from "../../../../ui/load.tsx";
import { limited } from "../../../../ui/validity.ts";
import { client } from "../../../kit/access.ts";
import { announcement } from "../../../kit/announcement.ts";
import { ChangedNote } from "../../../kit/details.tsx";
import { type Entry, ifMatch } from "../../../kit/entry.ts";
import { rereadLists } from "../../../kit/table.tsx";
import { FeeCurves } from "./fee_curves.tsx";
import { EditedRule, RuleText } from "./rule_sentence.tsx";
import { SignText } from "./sign_text.tsx";
import {
  type Category,
  changedIn,
  comparedStays,
  type Draft,
  draftOf,
  drawnStay,
  isSame,
  type Lot,
  newRule,
  type Stay,
  tomorrow,
} from "./tariff.ts";
import { type Outcome, useFees } from "./use_fees.ts";

const text = consoleTexts(({ prices }) => prices);

const CATEGORIES: readonly Category[] = ["time_band", "cap", "flat", "initial", "grace", "published_total"];

interface SimulatorProps {
  readonly entry: Entry<Lot>;
  /** What the save also does, with its reason: the resolution of a report. */
  readonly resolve?: (reason: string) => Promise<unknown>;
}

export function PriceSimulator({ entry, resolve }: SimulatorProps) {
  const { data: lot, etag } = entry.data!;
  const t = text.value;
  // The rules as they were when the editor was opened, or after its last save.
  const [base, setBase] = useState(() => lot.pricing_rules.map(draftOf));
  const [rules, setRules] = useState<readonly Draft[]>(base);
  const [vehicle, setVehicle] = useState("standard");
  const [day, setDay] = useState(() => tomorrow(new Date(), lot.time_zone));
  const stays = useMemo(() => {
    const compared = comparedStays(day, lot.time_zone);
    return { compared, all: [...compared, drawnStay(compared)] };
  }, [day, lot.time_zone]);
  const isChanged = !isSame(rules, base);
  const before = useFees(lot.id, stays.all, vehicle, undefined, etag);
  const after = useFees(lot.id, stays.all, vehicle, isChanged ? rules : base, etag);
  const errors = errorsOf(after.error);
  const stored = new Map(base.map((rule) => [rule.id, rule]));
  const removed = base.filter(({ id }) => !rules.some((rule) => rule.id === id));
  const replace = (index: number, rule: Draft) => setRules(rules.with(index, rule));
  const [reason, setReason] = useState("");
  const save = useAction(async () => {
    if (isChanged && await put() !== "done") return;
    await resolve?.(reason.trim());
  });
  const put = async () => {
    const outcome = await entry.change((seen) =>
      client.PUT("/v1/admin/parking-lots/{id}/pricing-rules", {
        params: { path: { id: lot.id }, header: ifMatch(seen) },
        body: { pricing_rules: [...rules], ...(reason.trim() === "" ? {} : { reason: reason.trim() }) },
      })
    );
    if (outcome !== "done") return outcome;
    setBase([...rules]);
    if (!resolve) setReason("");
    announcement.value = t.saved;
    rereadLists();
    entry.reload();
    return outcome;
  };
  return (
    <div class="price">
      {entry.before && (
        <ChangedNote
          before={entry.before}
          now={lot}
          fields={[{
            label: t.rules,
            show: ({ pricing_rules, currency }) => (
              <ul>
                {pricing_rules.map((rule) => (
                  <li key={rule.id}>
                    <RuleText rule={draftOf(rule)} currency={currency} />
                  </li>
                ))}
              </ul>
            ),
            value: ({ pricing_rules }) => pricing_rules,
          }]}
        >
          <button
            type="button"
            onClick={() => {
              const newer = lot.pricing_rules.map(draftOf);
              setBase(newer);
              setRules(newer);
              entry.accept();
            }}
          >
            {t.newer}
          </button>
        </ChangedNote>
      )}
      <SignText lot={lot} onTake={(read) => setRules([...read, ...rules.filter((rule) => rule.pricing_group_id)])} />
      <ol class="price-rules">
        {rules.map((rule, index) => (
          <li key={rule.id} class={stored.has(rule.id) ? undefined : "is-new"}>
            <div class="price-sentence">
              <EditedRule
                rule={rule}
                stored={stored.get(rule.id)}
                position={index + 1}
                currency={lot.currency}
                timeZone={lot.time_zone}
                groups={lot.pricing_groups}
                errors={errors.get(index) ?? new Map()}
                onChange={(changed) => replace(index, changed)}
              />
              <span class="price-acts">
                <RuleButton
                  name={t.up(index + 1)}
                  isOff={index === 0}
                  onClick={() => setRules(rules.toSpliced(index, 1).toSpliced(index - 1, 0, rule))}
                  sign="↑"
                />
                <RuleButton name={t.remove(index + 1)} onClick={() => setRules(rules.toSpliced(index, 1))} sign="×" />
              </span>
            </div>
            {changedIn(rule, stored.get(rule.id)).size > 0 && (
              <p class="small">
                {t.was} <RuleText rule={stored.get(rule.id)!} currency={lot.currency} />
              </p>
            )}
            {[...errors.get(index) ?? []].map(([field, message]) => (
              <p key={field} class="small wrong" role="alert">{message}</p>
            ))}
          </li>
        ))}
        {removed.map((rule) => (
          <li key={rule.id} class="is-removed">
            <s>
              <RuleText rule={rule} currency={lot.currency} />
            </s>{" "}
            <button type="button" class="link" onClick={() => setRules([...rules, rule])}>{t.putBack}</button>
          </li>
        ))}
      </ol>
      <div class="row">
        <span class="small">{t.add}</span>
        {CATEGORIES.map((category) => (
          <button
            key={category}
            type="button"
            class="quiet"
            onClick={() => setRules([...rules, newRule(category, newKey(), null)])}
          >
            {t.categories[category]}
          </button>
        ))}
      </div>
      {after.error !== undefined && errors.size === 0 && <ErrorNote error={after.error} />}
      <FeeCurves
        before={before.outcomes.at(-1)}
        after={isChanged ? after.outcomes.at(-1) : undefined}
        stay={stays.all.at(-1)!}
        lot={lot}
      />
      <label class="field price-vehicle">
        <span>{t.vehicle}</span>
        <select value={vehicle} onChange={(event) => setVehicle(event.currentTarget.value)}>
          {options("vehicle_type").map(([code, label]) => <option key={code} value={code}>{label}</option>)}
        </select>
      </label>
      <label class="field price-vehicle">
        <span>{t.day}</span>
        <input
          type="date"
          value={day}
          min="2000-01-01"
          max="2099-12-30"
          onInput={(event) =>
            event.currentTarget.validity.valid && event.currentTarget.value && setDay(event.currentTarget.value)}
        />
      </label>
      <StayTable
        stays={stays.compared}
        before={before.outcomes}
        after={after.outcomes}
        isLoading={after.isLoading || before.isLoading}
        lot={lot}
      />
      <form
        class="price-save"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        {(isChanged || resolve) && (
          <input
            aria-label={resolve ? t.reason : t.recordReason}
            placeholder={resolve ? t.reason : t.recordReason}
            value={reason}
            required={resolve !== undefined}
            {...limited(ErrorReportDecision.reason)}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
        <button type="submit" class="primary" disabled={!isChanged && !resolve} aria-busy={save.isRunning}>
          {resolve ? t.saveWithReason : t.save}
        </button>
        {isChanged && <button type="button" onClick={() => setRules(base)}>{t.discard}</button>}
        {save.error !== undefined && <ErrorNote error={save.error} />}
      </form>
    </div>
  );
}

function RuleButton({ name, sign, isOff = false, onClick }: {
  name: string;
  sign: string;
  isOff?: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" class="quiet" aria-label={name} title={name} disabled={isOff} onClick={onClick}>
      {sign}
    </button>
  );
}

/** The sentences of the service, by the position of the rule and its field: `pricing_rules.1.price_minor`. */
function errorsOf(error: unknown): Map<number, Map<string, string>> {
  const found = new Map<number, Map<string, string>>();
  if (!(error instanceof ApiError)) return found;
  const listed = error.code === "validation_error" ? error.details?.errors ?? [] : [];
  for (const { param, message } of [{ param: error.param, message: error.message }, ...listed]) {
    const [, index, field = ""] = /^pricing_rules\.(\d+)(?:\.(\w+))?/.exec(param ?? "") ?? [];
    if (index === undefined) continue;
    const ofRule = found.get(Number(index)) ?? new Map<string, string>();
    found.set(Number(index), ofRule.set(field, message));
  }
  return found;
}

function StayTable({ stays, before, after, isLoading, lot }: {
  stays: readonly Stay[];
  before: readonly Outcome[];
  after: readonly Outcome[];
  isLoading: boolean;
  lot: Lot;
}) {
  const t = text.value;
  const shown = (outcome: Outcome | undefined) => {
    if (outcome === undefined) return "…";
    if ("fee" in outcome) return money(outcome.fee.total_amount, outcome.fee.currency);
    const from = outcome.unknownFrom;
    return <span class="wrong">{from === null ? t.noPrice : t.gap(timeOfDay(from, lot.time_zone))}</span>;
  };
  return (
    <table class="price-stays" aria-busy={isLoading}>
      <caption class="visually-hidden">{t.compared}</caption>
      <thead>
        <tr>
          <th scope="col">{t.stay}</th>
          <th scope="col">{t.entry}</th>
          <th scope="col" class="number">{t.today}</th>
          <th scope="col" class="number">{t.next}</th>
          <th scope="col" class="number">{t.change}</th>
        </tr>
      </thead>
      <tbody>
        {stays.map(({ name, entry_at, exit_at }, index) => (
          <tr key={name}>
            <th scope="row">{t.stays[name]}</th>
            <td>{timeOfDay(entry_at, lot.time_zone)}–{timeOfDay(exit_at, lot.time_zone)}</td>
            <td class="number">{shown(before[index])}</td>
            <td class="number">
              <strong>{shown(after[index])}</strong>
            </td>
            <td class="number">
              <Change before={before[index]} after={after[index]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Change({ before, after }: { before: Outcome | undefined; after: Outcome | undefined }) {
  if (before === undefined || after === undefined || !("fee" in before) || !("fee" in after)) return <>–</>;
  const more = after.fee.total_amount - before.fee.total_amount;
  if (more === 0) return <>±0</>;
  return (
    <span class={more > 0 ? "price-more" : "price-less"}>
      {more > 0 ? "+" : "−"}
      {money(Math.abs(more), after.fee.currency)}
    </span>
  );
}

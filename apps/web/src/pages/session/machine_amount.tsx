/** What the machine at the lot charged, and the report that follows when it is not what the service calculated. */
import { useId, useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { dateTime, fractionDigits, money } from "../../format.ts";
import { deliver } from "../../outbox.ts";
import { uploadPhotos } from "../../photos.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { type ChosenPhoto, PhotoPicker, usePhotos } from "../../ui/photo_picker.tsx";
import { Field } from "../../ui/form.tsx";

const text = pageTexts(({ session }) => session.machineAmount);

export type Answer = "same" | "other" | "unknown";

export interface MachineAmount {
  readonly answer: Answer;
  /** In minor units; undefined unless another amount was entered. */
  readonly amount: number | undefined;
  readonly photos: readonly ChosenPhoto[];
  readonly progress: number | undefined;
}

export interface MachineAmountState extends MachineAmount {
  change(values: Partial<MachineAmount>): void;
}

export function useMachineAmount(first: Answer): MachineAmountState {
  const [photos, setPhotos] = usePhotos();
  const [state, setState] = useState<Omit<MachineAmount, "photos">>({
    answer: first,
    amount: undefined,
    progress: undefined,
  });
  return {
    ...state,
    photos,
    change: ({ photos: next, ...values }) => {
      if (next) setPhotos(next);
      setState((old) => ({ ...old, ...values }));
    },
  };
}

const ANSWERS: readonly Answer[] = ["same", "other", "unknown"];

interface MachineAmountProps {
  readonly machine: MachineAmountState;
  /** By the rules of the lot; null if the service does not know it. */
  readonly calculated: number | null;
  readonly currency: string;
}

export function MachineAmountField({ machine, calculated, currency }: MachineAmountProps) {
  const t = text.value;
  const name = useId();
  const scale = 10 ** fractionDigits(currency);
  return (
    <>
      <fieldset class="machine">
        <legend>{t.question}</legend>
        <div class="segments">
          {ANSWERS.map((answer) => (
            <label key={answer}>
              <input
                type="radio"
                name={name}
                value={answer}
                checked={machine.answer === answer}
                onChange={() => machine.change({ answer })}
              />
              <span>{answer === "same" && calculated === null ? t.noAmount : t.answers[answer]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {machine.answer === "other" && (
        <>
          <Field
            name="machine_amount"
            label={t.amount(currency)}
            type="number"
            inputMode="decimal"
            min={0}
            step={1 / scale}
            onInput={(value) =>
              machine.change({ amount: value.trim() === "" ? undefined : Math.round(Number(value) * scale) })}
            required
          />
          <p class="small" role="status">{differenceOf(machine.amount, calculated, currency)}</p>
          <PhotoPicker
            name="receipt"
            label={t.photo}
            most={2}
            photos={machine.photos}
            onChange={(photos) => machine.change({ photos })}
            progress={machine.progress}
          />
        </>
      )}
    </>
  );
}

/** The difference as a sentence, once an amount is there. */
function differenceOf(amount: number | undefined, calculated: number | null, currency: string): string | undefined {
  const t = text.value;
  if (amount === undefined || Number.isNaN(amount)) return undefined;
  if (calculated === null) return t.newAmount;
  if (amount === calculated) return t.equal;
  const size = money(Math.abs(amount - calculated), currency);
  return amount > calculated ? t.more(size) : t.less(size);
}

type Session = Pick<components["schemas"]["ParkingSession"], "parking_lot_id" | "started_at">;

/** Reports the amount of the machine if it differs from the calculated one. True if a report was sent. */
export async function reportDifference(
  machine: MachineAmountState,
  { parking_lot_id, started_at }: Session,
  exitAt: string,
  calculated: number | null,
  currency: string,
): Promise<boolean> {
  const { answer, amount, photos } = machine;
  if (answer !== "other" || amount === undefined || amount === calculated) return false;
  const t = text.value;
  const sent = (progress: number) => machine.change({ progress });
  const evidence = await uploadPhotos(photos.map(({ blob }) => blob), { category: "error_report" }, sent)
    .finally(() => machine.change({ progress: undefined }));
  const stay = [started_at, exitAt].map((time) => time === null ? "?" : dateTime(time)).join(" – ");
  const description = t.report(
    stay,
    money(amount, currency),
    calculated === null ? t.answers.unknown : money(calculated, currency),
  );
  const body = {
    parking_lot_id,
    report_type: "price" as const,
    description,
    ...(evidence.length > 0 ? { evidence_asset_ids: evidence } : {}),
  };
  await deliver("error_report", (keyed) => client.POST("/v1/error-reports", { body, ...keyed }));
  return true;
}

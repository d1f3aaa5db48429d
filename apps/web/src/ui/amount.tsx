/** An amount whose currency sign is smaller than its figure. */
import { moneyParts } from "../format.ts";

export function Amount({ value, currency }: { value: number; currency?: string | undefined }) {
  return (
    <>
      {moneyParts(value, currency).map(({ type, value: part }, index) =>
        type === "currency" ? <span key={index} class="sign">{part}</span> : part
      )}
    </>
  );
}

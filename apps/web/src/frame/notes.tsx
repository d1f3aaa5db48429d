/** What is not as usual, on every page: no connection, changes that wait, a new version. */
import { dateTime } from "../format.ts";
import { discard, sendAgain, TOO_OLD, waiting } from "../outbox.ts";
import { shownSince } from "../reads.ts";
import type { Refusal, Waiting } from "../storage.ts";
import { pageTexts } from "../texts/pages.ts";
import { codeText } from "../ui/error_text.ts";
import { ActionButton } from "../ui/load.tsx";
import { hasNewVersion, useNewVersion } from "../versions.ts";

const text = pageTexts(({ notes }) => notes);

export function Notes() {
  const t = text.value;
  return (
    <div class="notes" role="status">
      {shownSince.value !== undefined && <p class="notice">{t.shownSince(dateTime(new Date(shownSince.value)))}</p>}
      {waiting.value.length > 0 && <Outbox items={waiting.value} />}
      {hasNewVersion.value && (
        <p class="notice row">
          {t.newVersion} <button type="button" onClick={useNewVersion}>{t.reload}</button>
        </p>
      )}
    </div>
  );
}

function Outbox({ items }: { items: readonly Waiting[] }) {
  const t = text.value;
  return (
    <div class="notice">
      <p>{items.some(({ refusal }) => refusal) ? t.refused : t.waits(items.length)}</p>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            {t.kinds[item.kind]} ({dateTime(new Date(item.at))})
            {item.refusal && (
              <>
                {": "}
                {refusalText(item.refusal)} <ActionButton perform={() => sendAgain(item)}>{t.again}</ActionButton>
              </>
            )} <ActionButton class="quiet" perform={() => discard(item.id)}>{t.discard}</ActionButton>
          </li>
        ))}
      </ul>
    </div>
  );
}

const refusalText = ({ code, reason }: Refusal) => code === TOO_OLD ? text.value.tooOld : codeText(code, reason);

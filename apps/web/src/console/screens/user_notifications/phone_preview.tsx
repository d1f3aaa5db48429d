/** How a notification looks on the locked screen of a phone, in both languages: plain text, as the push services show it. */
import { settings } from "../../../settings.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { addStyle } from "../../../ui/style.ts";
import style from "./notifications.css" with { type: "text" };

addStyle(style);

const text = consoleTexts(({ userNotifications }) => userNotifications);

export interface Written {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly title_en?: string | null | undefined;
  readonly body_en?: string | null | undefined;
}

export function PhonePreview({ written }: { written: Written }) {
  const t = text.value;
  const { title = "", body = "", title_en, body_en } = written;
  return (
    <section class="phones" aria-label={t.onPhone}>
      <Phone language="ja" title={title} body={body} />
      <Phone language="en" title={title_en || title} body={body_en || body} />
      <p class="small">{t.onPhoneHint}</p>
    </section>
  );
}

function Phone({ language, title, body }: { language: "ja" | "en"; title: string; body: string }) {
  const now = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "second");
  return (
    <figure lang={language}>
      <figcaption class="small">{new Intl.DisplayNames(language, { type: "language" }).of(language)}</figcaption>
      <div class="phone">
        <p class="phone-clock" aria-hidden="true">9:41</p>
        <div class="phone-note">
          <p class="phone-app">
            <span>{settings.name}</span>
            <span>{now}</span>
          </p>
          <strong>{title || "…"}</strong>
          <p class="phone-text">{body || "…"}</p>
        </div>
      </div>
    </figure>
  );
}

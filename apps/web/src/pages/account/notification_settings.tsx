/** Which notifications come, by which way, and when none disturb. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { language } from "../../language.ts";
import { client } from "../../service.ts";
import { readerZone } from "../../local_time.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Checkbox, Field, Form } from "../../ui/form.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";

type Preferences = components["schemas"]["NotificationPreferences"];
type Item = Preferences["items"][number];

const text = pageTexts(({ account }) => account.notificationSettings);

const WAYS = ["in_app_enabled", "push_enabled", "email_enabled"] as const;

export function NotificationSettings() {
  const params = { query: { lang: language.value } };
  const load = useLoad(
    async (signal) => (await client.GET("/v1/me/notification-preferences", { params, signal })).data,
    [language.value],
  );
  return <Loaded load={load}>{(preferences) => <PreferencesForm preferences={preferences} />}</Loaded>;
}

function PreferencesForm({ preferences }: { preferences: Preferences }) {
  const t = text.value;
  const { items, types, quiet_hours, email_available } = preferences;
  const [isQuiet, setIsQuiet] = useState(quiet_hours !== null);
  const [isSaved, setIsSaved] = useState(false);
  const typeOf = ({ notif_type }: Item) => types.find(({ code }) => code === notif_type);
  const isOffered = (item: Item, way: typeof WAYS[number]) =>
    way !== "email_enabled" || (email_available && typeOf(item)?.email_allowed === true);
  const save = async (values: FormData) => {
    setIsSaved(false);
    const time_zone = quiet_hours?.time_zone ?? readerZone();
    await client.PUT("/v1/me/notification-preferences", {
      body: {
        items: items.map((item) => ({
          notif_type: item.notif_type,
          ...Object.fromEntries(WAYS.map((way) => [
            way,
            isOffered(item, way) ? values.has(`${item.notif_type} ${way}`) : item[way],
          ])) as Pick<Item, typeof WAYS[number]>,
        })),
        quiet_hours: isQuiet
          ? { from: String(values.get("quiet_hours.from")), to: String(values.get("quiet_hours.to")), time_zone }
          : null,
      },
    });
    setIsSaved(true);
  };
  return (
    <Form submit={t.save} onSubmit={save}>
      <table class="account-ways">
        <caption class="visually-hidden">{t.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t.type}</th>
            {WAYS.map((way) => <th key={way} scope="col">{t.ways[way]}</th>)}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => {
            const name = typeOf(item)?.display_label ?? item.notif_type;
            return (
              <tr key={item.notif_type}>
                <th scope="row">{name}</th>
                {WAYS.map((way) => (
                  <td key={way}>
                    {isOffered(item, way)
                      ? (
                        <input
                          type="checkbox"
                          name={`${item.notif_type} ${way}`}
                          defaultChecked={item[way]}
                          aria-label={t.by(name, t.ways[way])}
                        />
                      )
                      : <span aria-hidden="true">–</span>}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="small">{t.pushHint}</p>
      <fieldset class="account-quiet">
        <legend>{t.quiet}</legend>
        <Checkbox name="is_quiet" label={t.quietOn} defaultChecked={isQuiet} onChange={setIsQuiet} />
        {isQuiet && (
          <div class="row">
            <Field
              name="quiet_hours.from"
              label={t.from}
              type="time"
              defaultValue={quiet_hours?.from ?? "22:00"}
              required
            />
            <Field name="quiet_hours.to" label={t.to} type="time" defaultValue={quiet_hours?.to ?? "07:00"} required />
          </div>
        )}
        <p class="small">{t.quietHint}</p>
      </fieldset>
      <p role="status">{isSaved && t.saved}</p>
    </Form>
  );
}

/// <reference lib="dom" />
/** What an administrator does for an app user who asks: a copy of the data, a theme as a gift, the end of the account. */
import { useState } from "preact/hooks";
import { label } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Form, Select, TextArea } from "../../../ui/form.tsx";
import { ActionButton, Loaded, useLoad } from "../../../ui/load.tsx";
import { NewThemeGift } from "../../../bounds.ts";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { Decision } from "../../kit/decision.tsx";
import { download } from "../../kit/download.ts";
import { actOn, type Entry } from "../../kit/entry.ts";
import { LotLink } from "../../kit/links.tsx";
import { Table } from "../../kit/table.tsx";
import type { AppUser } from "./user_decisions.tsx";

const text = consoleTexts(({ users }) => users);

/** The data of the user as a file. */
export function UserExport({ id }: { id: string }) {
  const t = text.value;
  return (
    <section>
      <h3>{t.data}</h3>
      <p class="small">{t.exportHint}</p>
      <ActionButton
        perform={async () => {
          const { data } = await client.POST("/v1/admin/users/{id}/export", { params: { path: { id } } });
          download(`user_${id}.json`, "application/json", JSON.stringify(data, null, 2));
          announcement.value = t.exported;
        }}
      >
        {t.exportData}
      </ActionButton>
    </section>
  );
}

export function UserThemeGift({ id }: { id: string }) {
  const t = text.value;
  const [version, setVersion] = useState(0);
  const load = useLoad(async (signal) => {
    const themes: [string, string][] = [];
    for await (const { id, name } of client.pages("/v1/admin/themes", { signal })) themes.push([id, name]);
    return themes;
  }, []);
  return (
    <section>
      <h3>{t.gift}</h3>
      <Loaded load={load}>
        {(themes) => (
          <Form
            key={version}
            submit={t.giveTheme}
            onSubmit={async (values) => {
              const message = String(values.get("message") ?? "").trim();
              await client.POST("/v1/admin/themes/{id}/gift", {
                params: { path: { id: String(values.get("theme")) } },
                body: { user_id: id, message: message || null },
              });
              announcement.value = t.themeGiven;
              setVersion((n) => n + 1);
            }}
          >
            <Select name="theme" label={t.theme} options={themes} required />
            <TextArea name="message" label={t.message} rows={2} {...NewThemeGift.message} />
          </Form>
        )}
      </Loaded>
    </section>
  );
}

/** Closes the account for good: the button appears only after a checkbox. */
export function UserWithdrawal({ entry }: { entry: Entry<AppUser> }) {
  const t = text.value;
  const [isMeant, setMeant] = useState(false);
  const withdraw = (reason: string) =>
    actOn(
      entry,
      t.withdrawn,
      (seen) =>
        client.POST("/v1/admin/users/{id}/withdraw", { params: { path: { id: seen.data.id } }, body: { reason } }),
    );
  return (
    <section>
      <h3>{t.withdrawal}</h3>
      <label class="row">
        <input type="checkbox" checked={isMeant} onChange={(event) => setMeant(event.currentTarget.checked)} />
        {t.withdrawMeant}
      </label>
      {isMeant && (
        <Decision
          reason={t.reason}
          hint={t.reasonHint}
          choices={[{
            name: t.withdraw,
            kind: "danger",
            needsReason: true,
            perform: (reason) => withdraw(reason ?? ""),
          }]}
        />
      )}
    </section>
  );
}

export function UserActivities({ id }: { id: string }) {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/user-activity-logs"
      query={{ user_id: id }}
      empty={t.noActivity}
      columns={[
        { head: t.time, cell: ({ created_at }) => dateTime(created_at) },
        { head: t.activity, cell: ({ activity_type }) => label("user_activity", activity_type) },
        { head: t.lot, cell: ({ parking_lot_id }) => <LotLink id={parking_lot_id} /> },
        { head: t.rewarded, cell: ({ is_rewarded }) => is_rewarded ? t.yes : t.no },
      ]}
    />
  );
}

/** Own keys for providers of language models. The service stores them encrypted and never shows them again. */
import { useState } from "preact/hooks";
import { date } from "../../format.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Field, Form } from "../../ui/form.tsx";
import { ActionButton, Loaded, useLoad } from "../../ui/load.tsx";

const text = pageTexts(({ account }) => account.aiKeys);

export function AiKeys() {
  const t = text.value;
  const load = useLoad(async (signal) => (await client.GET("/v1/search/ai/keys", { signal })).data.keys, []);
  const [sent, setSent] = useState(0);
  return (
    <>
      <p>{t.purpose}</p>
      <Loaded load={load}>
        {(keys) =>
          keys.length === 0 ? <p class="notice">{t.nothing}</p> : (
            <ul class="list">
              {keys.map(({ provider_id, updated_at }) => (
                <li key={provider_id} class="card row">
                  <span class="account-lot">
                    {provider_id} <span class="small">{date(updated_at)}</span>
                  </span>
                  <ActionButton
                    class="danger"
                    perform={async () => {
                      await client.DELETE("/v1/search/ai/keys/{provider_id}", { params: { path: { provider_id } } });
                      load.reload();
                    }}
                  >
                    {t.delete}
                  </ActionButton>
                </li>
              ))}
            </ul>
          )}
      </Loaded>
      <h2>{t.add}</h2>
      {/* A new form after each key: it must not stay in the field. */}
      <Form
        key={sent}
        submit={t.save}
        onSubmit={async (values) => {
          const [provider_id, api_key] = ["provider_id", "api_key"].map((name) => String(values.get(name)).trim());
          await client.POST("/v1/search/ai", {
            body: { action: "register_key", provider_id: provider_id!, api_key: api_key! },
          });
          setSent((n) => n + 1);
          load.reload();
        }}
      >
        <Field name="provider_id" label={t.provider} required />
        <Field name="api_key" label={t.key} type="password" autocomplete="off" required />
      </Form>
    </>
  );
}

/** A button that saves a search under a name, for the page of the search. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { NewSearchPreset } from "../bounds.ts";
import { client } from "../service.ts";
import { whenSignedIn } from "../sign_in.ts";
import { pageTexts } from "../texts/pages.ts";
import { Dialog } from "./dialog.tsx";
import { Checkbox, Field, Form } from "./form.tsx";

const text = pageTexts(({ ui }) => ui.saveSearch);

export function SaveSearch({ query }: { query: components["schemas"]["SearchQueryV1"] }) {
  const t = text.value;
  const [state, setState] = useState<"closed" | "open" | "saved">("closed");
  const open = () => {
    setState("open");
    return Promise.resolve();
  };
  return (
    <>
      <button type="button" class="link" onClick={() => void whenSignedIn(open)}>{t.saveThis}</button>
      <span role="status" class="small">{state === "saved" && t.saved}</span>
      {state === "open" && (
        <Dialog title={t.saveThis} onClose={() => setState("closed")}>
          <Form
            submit={t.save}
            onSubmit={async (values) => {
              const body = {
                name: String(values.get("name")),
                query_json: query,
                ...(values.has("is_default") ? { is_default: true } : {}),
              };
              await client.POST("/v1/me/search-presets", { body });
              setState("saved");
            }}
          >
            <Field name="name" label={t.name} {...NewSearchPreset.name} required />
            <Checkbox name="is_default" label={t.makeDefault} />
          </Form>
        </Dialog>
      )}
    </>
  );
}

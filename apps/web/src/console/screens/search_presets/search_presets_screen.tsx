/** The search presets of an app user: list, create, edit, delete, set the default. Each read of them is on record. */
import type { PageProps } from "../../../page.ts";
import { navigate } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Field, Form } from "../../../ui/form.tsx";
import { UserPresets } from "./user_presets.tsx";

const text = consoleTexts(({ searchPresets }) => searchPresets);

export function SearchPresetsScreen({ parts: [userId] }: PageProps) {
  const t = text.value;
  if (userId !== undefined) return <UserPresets key={userId} userId={userId} />;
  return (
    <Form
      submit={t.show}
      onSubmit={(values) => {
        navigate(`/console/user-search-presets/${String(values.get("user_id")).trim()}`);
        return Promise.resolve();
      }}
    >
      <Field name="user_id" label={t.userId} hint={t.userHint} required />
    </Form>
  );
}

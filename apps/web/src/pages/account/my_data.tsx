/** The data of the user: a copy of all of it, and the end of the account. */
import { useState } from "preact/hooks";
import { signOut } from "../../outbox.ts";
import { navigate } from "../../router.ts";
import { client, user } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { ActionButton } from "../../ui/load.tsx";
import { SentenceError } from "../../sentence_error.ts";

const text = pageTexts(({ account }) => account.myData);

export function MyData() {
  const t = text.value;
  const [isClosing, setIsClosing] = useState(false);
  return (
    <>
      <section>
        <h2>{t.export}</h2>
        <p>{t.exportHint}</p>
        <ActionButton perform={download}>{t.download}</ActionButton>
      </section>
      <section>
        <h2>{t.close}</h2>
        <p>{t.closeHint}</p>
        <button type="button" class="danger" onClick={() => setIsClosing(true)}>{t.close}</button>
      </section>
      {isClosing && (
        <Dialog title={t.close} onClose={() => setIsClosing(false)}>
          <CloseForm />
        </Dialog>
      )}
    </>
  );
}

async function download(): Promise<void> {
  const { data } = await client.GET("/v1/me/export");
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "parking.json";
  link.click();
  URL.revokeObjectURL(url);
}

/** Cannot be undone: the user writes the address of the account. */
function CloseForm() {
  const t = text.value;
  const email = user.value?.email ?? "";
  return (
    <Form
      submit={t.closeNow}
      onSubmit={async (values) => {
        if (String(values.get("email")).trim().toLowerCase() !== email.toLowerCase()) {
          throw new SentenceError(
            t.wrongAddress,
          );
        }
        await client.POST("/v1/me/withdraw");
        // The sign-in is gone on the server; only this browser still has it.
        await signOut("local");
        navigate("/");
      }}
    >
      <p>{t.closeWarning}</p>
      <Field name="email" label={t.confirm(email)} type="email" autocomplete="off" required />
    </Form>
  );
}

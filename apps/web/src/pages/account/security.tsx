/** How the user signs in: mail address and password. */
import { useState } from "preact/hooks";
import { PAGE, supabase, user } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Field, Form } from "../../ui/form.tsx";
import { sentPassword } from "./password.ts";
import { checked, NewPasswordField } from "./sign_in.tsx";

const text = pageTexts(({ account }) => account.security);

export function Security() {
  return (
    <>
      <AddressForm />
      <PasswordForm />
    </>
  );
}

/** A new mail address, which both addresses confirm. */
function AddressForm() {
  const t = text.value;
  const [mailedTo, setMailedTo] = useState<string>();
  return (
    <section>
      <h2>{t.address}</h2>
      <p>{user.value?.email}</p>
      <Form
        submit={t.sendMails}
        onSubmit={async (values) => {
          const email = String(values.get("email") ?? "");
          await checked(supabase.auth.updateUser({ email }, { emailRedirectTo: PAGE }));
          setMailedTo(email);
        }}
      >
        <Field name="email" label={t.newAddress} type="email" autocomplete="email" required />
      </Form>
      {mailedTo !== undefined && <p class="notice" role="status">{t.mailed(mailedTo)}</p>}
    </section>
  );
}

function PasswordForm() {
  const t = text.value;
  const [isSaved, setIsSaved] = useState(false);
  return (
    <section>
      <h2>{t.password}</h2>
      <Form
        submit={t.savePassword}
        onSubmit={async (values) => {
          setIsSaved(false);
          await checked(supabase.auth.updateUser({ password: sentPassword(String(values.get("password") ?? "")) }));
          setIsSaved(true);
        }}
      >
        <NewPasswordField label={t.newPassword} />
        <p role="status">{isSaved && t.saved}</p>
      </Form>
    </section>
  );
}

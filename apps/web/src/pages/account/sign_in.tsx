/** Sign-in, sign-up, one-time code and password recovery, in one dialog. */
import { useState } from "preact/hooks";
import type { AuthError } from "@supabase/auth-js";
import { number } from "../../format.ts";
import { isRecovering, PAGE, supabase, user } from "../../service.ts";
import { endSignIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { bytesOf, MAX_BYTES, sentPassword, signInWithPassword } from "./password.ts";

const text = pageTexts(({ account }) => account.signIn);

function close(isSignedIn: boolean): void {
  isRecovering.value = false;
  endSignIn(isSignedIn);
}

type Mode = "signIn" | "signUp" | "code" | "recover";
const MODES: readonly Mode[] = ["signIn", "signUp", "code", "recover"];

export async function checked(request: Promise<{ error: AuthError | null }>): Promise<void> {
  const { error } = await request;
  if (error) throw error;
}

const valueOf = (values: FormData, name: string) => String(values.get(name) ?? "");

export function SignInDialog() {
  const [mode, setMode] = useState<Mode>("signIn");
  const [mailedTo, setMailedTo] = useState<string>();
  const t = text.value;
  if (isRecovering.value) {
    return (
      <Dialog title={t.newPassword} onClose={() => close(false)}>
        {user.value && <p>{user.value.email}</p>}
        <NewPasswordForm />
      </Dialog>
    );
  }
  const select = (next: Mode) => {
    setMode(next);
    setMailedTo(undefined);
  };
  return (
    <Dialog title={t[mode]} onClose={() => close(false)}>
      {mode === "signIn" && <SignInForm />}
      {mode === "signUp" && <SignUpForm onMailed={setMailedTo} />}
      {mode === "code" && <CodeForm onMailed={setMailedTo} mailedTo={mailedTo} />}
      {mode === "recover" && <RecoverForm onMailed={setMailedTo} />}
      {mailedTo !== undefined && (
        <p class="notice" role="status">
          {t.mailed(mailedTo)} {isLocal() && (
            <>
              {t.localMails} <a href="/_mail" target="_blank" rel="noopener">/_mail</a>
            </>
          )}
        </p>
      )}
      <p class="choices">
        {MODES.filter((other) => other !== mode).map((other) => (
          <button
            key={other}
            type="button"
            class="link"
            onClick={() => select(other)}
          >
            {t[other]}
          </button>
        ))}
      </p>
    </Dialog>
  );
}

const isLocal = () => ["127.0.0.1", "localhost"].includes(location.hostname);

function SignInForm() {
  const t = text.value;
  return (
    <Form
      submit={t.signIn}
      onSubmit={async (values) => {
        await checked(signInWithPassword(supabase.auth, valueOf(values, "email"), valueOf(values, "password")));
        close(true);
      }}
    >
      <EmailField />
      <Field name="password" label={t.password} type="password" autocomplete="current-password" required />
    </Form>
  );
}

function SignUpForm({ onMailed }: { onMailed: (email: string) => void }) {
  const t = text.value;
  return (
    <Form
      submit={t.signUp}
      onSubmit={async (values) => {
        const [email, password] = [valueOf(values, "email"), sentPassword(valueOf(values, "password"))];
        const { data, error } = await supabase.auth.signUp({ email, password, options: { emailRedirectTo: PAGE } });
        if (error) throw error;
        // A project that confirms addresses sends a mail; one that does not signs the user in.
        if (data.session) close(true);
        else onMailed(email);
      }}
    >
      <EmailField />
      <NewPasswordField />
    </Form>
  );
}

function CodeForm({ mailedTo, onMailed }: { mailedTo: string | undefined; onMailed: (email: string) => void }) {
  const t = text.value;
  if (mailedTo === undefined) {
    return (
      <Form
        submit={t.sendCode}
        onSubmit={async (values) => {
          const email = valueOf(values, "email");
          await checked(supabase.auth.signInWithOtp({ email, options: { emailRedirectTo: PAGE } }));
          onMailed(email);
        }}
      >
        <EmailField />
      </Form>
    );
  }
  return (
    <Form
      submit={t.signIn}
      onSubmit={async (values) => {
        const token = valueOf(values, "token").trim();
        await checked(supabase.auth.verifyOtp({ email: mailedTo, token, type: "email" }));
        close(true);
      }}
    >
      <Field
        name="token"
        label={t.enterCode}
        inputMode="numeric"
        autocomplete="one-time-code"
        pattern="\s*\d{6}\s*"
        required
      />
    </Form>
  );
}

function RecoverForm({ onMailed }: { onMailed: (email: string) => void }) {
  const t = text.value;
  return (
    <Form
      submit={t.sendLink}
      onSubmit={async (values) => {
        const email = valueOf(values, "email");
        await checked(supabase.auth.resetPasswordForEmail(email, { redirectTo: PAGE }));
        onMailed(email);
      }}
    >
      <EmailField />
    </Form>
  );
}

function NewPasswordForm() {
  return (
    <Form
      submit={text.value.save}
      onSubmit={async (values) => {
        await checked(supabase.auth.updateUser({ password: sentPassword(valueOf(values, "password")) }));
        close(true);
      }}
    >
      <NewPasswordField />
    </Form>
  );
}

function EmailField() {
  return <Field name="email" label={text.value.email} type="email" autocomplete="username" required />;
}

function passwordCheck(typed: string): string {
  const bytes = bytesOf(typed);
  return bytes > MAX_BYTES ? text.value.tooManyBytes(number(bytes), number(MAX_BYTES)) : "";
}

export function NewPasswordField({ label = text.value.password }: { label?: string }) {
  return (
    <Field
      name="password"
      label={label}
      hint={text.value.passwordHint}
      type="password"
      autocomplete="new-password"
      minLength={8}
      check={passwordCheck}
      required
    />
  );
}

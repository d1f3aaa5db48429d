/** The second factor of an administrator: the code at sign-in, and the way to enroll an authenticator app. */
import type { AuthError } from "@supabase/auth-js";
import { useState } from "preact/hooks";
import { ApiError } from "parking-lot-client";
import { supabase } from "../service.ts";
import { consoleTexts } from "../texts/console.ts";
import { Field, Form, Select } from "../ui/form.tsx";
import { ActionButton } from "../ui/load.tsx";
import { client } from "./kit/access.ts";
import { SentenceError } from "../sentence_error.ts";

const text = consoleTexts(({ secondFactor }) => secondFactor);

/** What the session still needs before the console opens. */
export type SecondFactorStep =
  | { readonly kind: "none" }
  | { readonly kind: "enroll" }
  | { readonly kind: "code"; readonly factors: readonly Factor[] };

interface Factor {
  readonly id: string;
  readonly friendly_name?: string | undefined;
}

/** The data of a reply of the auth server; throws its error. */
async function dataOf<Reply extends { data: unknown; error: AuthError | null }>(
  reply: Promise<Reply>,
): Promise<Extract<Reply, { error: null }>["data"]> {
  const { data, error } = await reply;
  if (error) throw error;
  return data;
}

export async function readSecondFactorStep(): Promise<SecondFactorStep> {
  const { session } = await dataOf(supabase.auth.getSession());
  const { currentLevel } = await dataOf(supabase.auth.mfa.getAuthenticatorAssuranceLevel(session?.access_token));
  if (currentLevel === "aal2") return { kind: "none" };
  const { totp: factors } = await dataOf(supabase.auth.mfa.listFactors());
  if (factors.length > 0) return { kind: "code", factors };
  return await isRequired() ? { kind: "enroll" } : { kind: "none" };
}

/** Whether the service rejects administrators without a second factor. */
async function isRequired(): Promise<boolean> {
  try {
    await client.GET("/v1/admin/notifications", { params: { query: { limit: 1 } } });
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.code === "forbidden" && error.details?.reason === "mfa_required") {
      return true;
    }
    throw error;
  }
}

export function SecondFactor({ step, onDone }: { step: SecondFactorStep; onDone: () => void }) {
  return (
    <div class="second-factor">
      <h1>{text.value.title}</h1>
      {step.kind === "code" ? <CodeForm factors={step.factors} onDone={onDone} /> : <Enrolling onDone={onDone} />}
    </div>
  );
}

async function verify(factorId: string, values: FormData): Promise<void> {
  const code = String(values.get("code") ?? "").replaceAll(/\s/g, "");
  const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code });
  if (error) throw error.code === "mfa_verification_failed" ? new SentenceError(text.value.wrongCode) : error;
}

function CodeForm({ factors, onDone }: { factors: readonly Factor[]; onDone: () => void }) {
  const t = text.value;
  return (
    <>
      <p>{t.enterCode}</p>
      <Form
        submit={t.confirm}
        onSubmit={async (values) => {
          await verify(String(values.get("factor") ?? factors[0]?.id), values);
          onDone();
        }}
      >
        {factors.length > 1 && (
          <Select
            name="factor"
            label={t.app}
            options={factors.map(({ id, friendly_name }, nth) => [id, friendly_name || `${t.app} ${nth + 1}`])}
          />
        )}
        <CodeField />
      </Form>
      <p class="small">{t.lost}</p>
    </>
  );
}

interface Enrolled {
  readonly id: string;
  readonly totp: { readonly qr_code: string; readonly secret: string; readonly uri: string };
}

/** Begins again: a factor that was shown before and never verified is useless, because its secret is shown once. */
async function enroll(): Promise<Enrolled> {
  const { all } = await dataOf(supabase.auth.mfa.listFactors());
  for (const { id, status } of all) {
    if (status === "unverified") await dataOf(supabase.auth.mfa.unenroll({ factorId: id }));
  }
  const names = { friendlyName: text.value.app, issuer: text.value.issuer };
  return await dataOf(supabase.auth.mfa.enroll({ factorType: "totp", ...names }));
}

function Enrolling({ onDone }: { onDone: () => void }) {
  const [factor, setFactor] = useState<Enrolled>();
  const t = text.value;
  if (factor === undefined) {
    return (
      <>
        <p>{t.required}</p>
        <p>{t.needsApp}</p>
        <ActionButton class="primary" perform={async () => setFactor(await enroll())}>{t.setUp}</ActionButton>
      </>
    );
  }
  return (
    <>
      <ol class="second-factor-steps">
        <li>
          <p>{t.scan}</p>
          <img class="second-factor-code" src={factor.totp.qr_code} alt={t.picture} width="220" height="220" />
          <p>
            {t.orType} <code class="second-factor-secret">{factor.totp.secret.match(/.{1,4}/g)?.join(" ")}</code>
          </p>
          <p>
            <a href={factor.totp.uri}>{t.onThisDevice}</a>
          </p>
        </li>
        <li>
          <p>{t.thenCode}</p>
          <Form
            submit={t.turnOn}
            onSubmit={async (values) => {
              await verify(factor.id, values);
              onDone();
            }}
          >
            <CodeField />
          </Form>
        </li>
      </ol>
      <p class="small">{t.lost}</p>
    </>
  );
}

function CodeField() {
  return (
    <Field
      name="code"
      label={text.value.code}
      inputMode="numeric"
      autocomplete="one-time-code"
      pattern="\s*\d{3}\s?\d{3}\s*"
      required
    />
  );
}

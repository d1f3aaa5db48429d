/** The decisions on an app user: suspension of the account, and premium without a subscription. */
import { useState } from "preact/hooks";
import type { ResponseBody } from "parking-lot-client";
import { fromLocalInput, toLocalInput } from "../../../local_time.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Field } from "../../../ui/form.tsx";
import { client } from "../../kit/access.ts";
import { type Choice, Decision } from "../../kit/decision.tsx";
import { actOn, type Entry, ifMatch, type Seen } from "../../kit/entry.ts";

const text = consoleTexts(({ users }) => users);

export type AppUser = ResponseBody<"/v1/admin/users/{id}", "get">;

interface UserProps {
  readonly entry: Entry<AppUser>;
  readonly user: AppUser;
}

const params = (seen: Seen<AppUser>) => ({ path: { id: seen.data.id }, header: ifMatch(seen) });

/** A choice that needs a reason. */
const withReason = (
  choice: Omit<Choice, "perform" | "needsReason">,
  perform: (reason: string) => Promise<unknown>,
): Choice => ({ ...choice, needsReason: true, perform: (reason) => perform(reason ?? "") });

export function AccountDecision({ entry, user }: UserProps) {
  const t = text.value;
  const choices = {
    suspended: withReason(
      { name: t.suspend, kind: "danger" },
      (reason) =>
        actOn(
          entry,
          t.suspended,
          (seen) => client.POST("/v1/admin/users/{id}/suspend", { params: params(seen), body: { reason } }),
        ),
    ),
    active: withReason(
      { name: t.reactivate, kind: "primary" },
      (reason) =>
        actOn(
          entry,
          t.reactivated,
          (seen) => client.POST("/v1/admin/users/{id}/reactivate", { params: params(seen), body: { reason } }),
        ),
    ),
  };
  return (
    <section>
      <h3>{t.account}</h3>
      <Decision
        reason={t.reason}
        hint={t.reasonHint}
        choices={user.allowed_statuses.flatMap((status) => status === "withdrawn" ? [] : [choices[status]])}
      />
    </section>
  );
}

export function PremiumDecision({ entry }: Pick<UserProps, "entry">) {
  const t = text.value;
  const [until, setUntil] = useState(() => toLocalInput(new Date(Date.now() + 30 * 86_400_000)));
  const setPremium = (sentence: string, until: string | null, reason: string) =>
    actOn(
      entry,
      sentence,
      (seen) => client.POST("/v1/admin/users/{id}/premium", { params: params(seen), body: { until, reason } }),
    );
  return (
    <section>
      <h3>{t.premium}</h3>
      <Field
        name="until"
        label={t.grant}
        hint={t.grantHint}
        type="datetime-local"
        defaultValue={until}
        onInput={setUntil}
      />
      <Decision
        reason={t.reason}
        hint={t.reasonHint}
        choices={[
          withReason({ name: t.give, kind: "primary" }, (reason) => setPremium(t.given, fromLocalInput(until), reason)),
          withReason({ name: t.take }, (reason) => setPremium(t.taken, null, reason)),
        ]}
      />
    </section>
  );
}

/** A subscription with its ledger, and the acts on it. */
import type { ResponseBody } from "parking-lot-client";
import { label } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ActionButton, Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { type Choice, Decision } from "../../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { actOn, type Entry, ifMatch, type Seen, useEntry } from "../../kit/entry.ts";
import { UserLink } from "../../kit/links.tsx";
import { SandboxMark } from "../../kit/sandbox_mark.tsx";
import { Table } from "../../kit/table.tsx";

const text = consoleTexts(({ subscriptions }) => subscriptions);

type Subscription = ResponseBody<"/v1/admin/subscriptions/{id}", "get">;

export const SCREEN = "/console/subscriptions";

/** The access of a one-time product has no end (`infinity`). */
export const ends = (time: string | null) =>
  time === null ? null : Number.isNaN(Date.parse(time)) ? text.value.forever : dateTime(time);

function fields(): FieldOf<Subscription>[] {
  const t = text.value;
  return [
    { label: t.plan, show: ({ plan_code }) => plan_code },
    {
      label: t.user,
      show: ({ user_id, user }) => <UserLink id={user_id} name={user?.display_name ?? user?.email ?? null} />,
      value: ({ user_id }) => user_id,
    },
    { label: t.status, show: ({ status }) => label("subscription_status", status) },
    { label: t.storeStatus, show: ({ store_status }) => label("subscription_status", store_status) },
    { label: t.revoked, show: ({ is_revoked_by_hand }) => is_revoked_by_hand ? t.yes : t.no },
    { label: t.premium, show: ({ gives_premium }) => gives_premium ? t.yes : t.no },
    { label: t.until, show: ({ access_ends_at }) => ends(access_ends_at) },
    { label: t.renews, show: ({ auto_renewing }) => auto_renewing ? t.yes : t.no },
    { label: t.store, show: ({ provider }) => label("iap_provider", provider) },
    { label: t.environment, show: ({ environment }) => label("iap_environment", environment) },
    { label: t.number, show: ({ external_subscription_id }) => external_subscription_id },
    { label: t.started, show: ({ started_at }) => dateTime(started_at) },
  ];
}

export function SubscriptionDetail({ id }: { id: string }) {
  const t = text.value;
  const params = { path: { id } };
  const entry = useEntry((signal) => client.GET("/v1/admin/subscriptions/{id}", { params, signal }), [id]);
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{t.all}</a>
      </p>
      <Loaded load={entry}>
        {({ data: subscription, etag }) => (
          <>
            <h2>
              {subscription.plan_code} <SandboxMark environment={subscription.environment} />
            </h2>
            {entry.before && <ChangedNote before={entry.before} now={subscription} fields={fields()} />}
            <Details data={subscription} fields={fields()} />
            <p>
              <ActionButton
                perform={() =>
                  actOn(entry, t.refreshed, () => client.POST("/v1/admin/subscriptions/{id}/refresh", { params }))}
              >
                {t.refresh}
              </ActionButton>
            </p>
            <Decision reason={t.reason} hint={t.reasonHint} choices={[choiceOf(entry, subscription)]} />
            <h3>{t.ledger}</h3>
            <SubscriptionLedger key={etag} id={id} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Revokes the access by hand, or gives it back. */
function choiceOf(entry: Entry<Subscription>, { is_revoked_by_hand: isRevoked }: Subscription): Choice {
  const t = text.value;
  const request = (seen: Seen<Subscription>, reason: string | null) => ({
    params: { path: { id: seen.data.id }, header: ifMatch(seen) },
    body: { reason: reason ?? "" },
  });
  return {
    name: isRevoked ? t.reinstate : t.revoke,
    ...(isRevoked ? {} : { kind: "danger" }),
    needsReason: true,
    perform: (reason) =>
      actOn(
        entry,
        isRevoked ? t.reinstated : t.revokedDone,
        (seen) =>
          isRevoked
            ? client.POST("/v1/admin/subscriptions/{id}/reinstate", request(seen, reason))
            : client.POST("/v1/admin/subscriptions/{id}/revoke", request(seen, reason)),
      ),
  };
}

function SubscriptionLedger({ id }: { id: string }) {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/subscriptions/{id}/events"
      of={{ id }}
      columns={[
        { head: t.time, cell: ({ occurred_at }) => dateTime(occurred_at) },
        { head: t.source, cell: ({ source }) => t.sources[source] },
        { head: t.event, cell: ({ type, subtype }) => [type, subtype].filter(Boolean).join(", ") },
        { head: t.status, cell: ({ status }) => status && label("subscription_status", status) },
      ]}
    />
  );
}

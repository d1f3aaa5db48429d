/** Subscriptions: search, one with its ledger, and the acts on it. */
import type { ResponseBody } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { href } from "../../../router.ts";
import { ActionButton, Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { Decision } from "../../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { ifMatch, type Seen, useEntry } from "../../kit/entry.ts";
import { PersonLink } from "../../kit/links.tsx";
import { SandboxMark } from "../../kit/sandbox_mark.tsx";
import { Table } from "../../kit/table.tsx";

type Subscription = ResponseBody<"/v1/admin/subscriptions/{id}", "get">;

const SCREEN = "/console/subscriptions";

const text = texts({
  en: {
    plan: "Plan",
    person: "Person",
    store: "Store",
    status: "Status",
    storeStatus: "Status in the store",
    premium: "Gives premium",
    yes: "Yes",
    no: "No",
    until: "Access until",
    forever: "without an end",
    started: "Started",
    renews: "Renews",
    number: "Number in the store",
    environment: "Environment",
    revoked: "Revoked by hand",
    empty: "No such subscription.",
    userId: "Id of the person",
    all: "All subscriptions",
    refresh: "Read it from the store",
    refreshed: "Read from the store.",
    reason: "Reason",
    reasonHint: "It is on record.",
    revoke: "Revoke",
    revokedDone: "Revoked. The store still charges: refund there.",
    reinstate: "Reinstate",
    reinstated: "Reinstated.",
    ledger: "Statements",
    time: "Time",
    source: "Source",
    event: "Event",
  },
  ja: {
    plan: "プラン",
    person: "利用者",
    store: "ストア",
    status: "状態",
    storeStatus: "ストアでの状態",
    premium: "プレミアム付与",
    yes: "はい",
    no: "いいえ",
    until: "利用期限",
    forever: "無期限",
    started: "開始",
    renews: "自動更新",
    number: "ストアの番号",
    environment: "環境",
    revoked: "手動で取り消し",
    empty: "該当するサブスクリプションはありません。",
    userId: "利用者のID",
    all: "サブスクリプションの一覧",
    refresh: "ストアから読み直す",
    refreshed: "ストアから読み直しました。",
    reason: "理由",
    reasonHint: "記録に残ります。",
    revoke: "取り消す",
    revokedDone: "取り消しました。ストアの請求は続くため、返金はストアで行ってください。",
    reinstate: "元に戻す",
    reinstated: "元に戻しました。",
    ledger: "ストアの記録",
    time: "日時",
    source: "情報源",
    event: "内容",
  },
});

/** The access of a one-time product has no end (`infinity`). */
const ends = (time: string | null) =>
  time === null ? null : Number.isNaN(Date.parse(time)) ? text.value.forever : dateTime(time);

export function SubscriptionsScreen({ parts: [id] }: PageProps) {
  return id === undefined ? <List /> : <One key={id} id={id} />;
}

function List() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/subscriptions"
      empty={t.empty}
      filters={[
        { name: "status", label: t.status, options: options("subscription_status") },
        { name: "provider", label: t.store, options: options("iap_provider") },
        { name: "external_subscription_id", label: t.number },
        { name: "user_id", label: t.userId, isFromLink: true },
      ]}
      columns={[
        {
          head: t.plan,
          cell: ({ id, plan_code, environment }) => (
            <>
              <a href={href(`${SCREEN}/${id}`)}>{plan_code}</a> <SandboxMark environment={environment} />
            </>
          ),
        },
        { head: t.person, cell: ({ user_id }) => <PersonLink id={user_id} /> },
        { head: t.store, cell: ({ provider }) => label("iap_provider", provider) },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("subscription_status", status)}</span> },
        { head: t.premium, cell: ({ gives_premium }) => gives_premium ? t.yes : t.no },
        { head: t.until, cell: ({ access_ends_at }) => ends(access_ends_at) },
        { head: t.started, cell: ({ started_at }) => dateTime(started_at) },
      ]}
    />
  );
}

function fields(): FieldOf<Subscription>[] {
  const t = text.value;
  return [
    { label: t.plan, show: ({ plan_code }) => plan_code },
    {
      label: t.person,
      show: ({ user_id, user }) => <PersonLink id={user_id} name={user?.display_name ?? user?.email ?? null} />,
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

function One({ id }: { id: string }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/subscriptions/{id}", { params: { path }, signal }), [id]);
  const act = async (sentence: string, perform: (seen: Seen<Subscription>) => Promise<unknown>) => {
    if (await entry.change(perform) !== "done") return;
    announcement.value = sentence;
    entry.reload();
  };
  const params = (seen: Seen<Subscription>) => ({ path, header: ifMatch(seen) });
  const body = (reason: string | null) => ({ reason: reason ?? "" });
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
                  act(t.refreshed, () => client.POST("/v1/admin/subscriptions/{id}/refresh", { params: { path } }))}
              >
                {t.refresh}
              </ActionButton>
            </p>
            <Decision
              reason={t.reason}
              hint={t.reasonHint}
              choices={[
                subscription.is_revoked_by_hand
                  ? {
                    name: t.reinstate,
                    needsReason: true,
                    perform: (reason) =>
                      act(t.reinstated, (seen) =>
                        client.POST("/v1/admin/subscriptions/{id}/reinstate", {
                          params: params(seen),
                          body: body(reason),
                        })),
                  }
                  : {
                    name: t.revoke,
                    kind: "danger",
                    needsReason: true,
                    perform: (reason) =>
                      act(
                        t.revokedDone,
                        (seen) =>
                          client.POST("/v1/admin/subscriptions/{id}/revoke", {
                            params: params(seen),
                            body: body(reason),
                          }),
                      ),
                  },
              ]}
            />
            <h3>{t.ledger}</h3>
            <Table
              key={etag}
              path="/v1/admin/subscriptions/{id}/events"
              of={path}
              columns={[
                { head: t.time, cell: ({ occurred_at }) => dateTime(occurred_at) },
                { head: t.source, cell: ({ source }) => source },
                { head: t.event, cell: ({ type, subtype }) => [type, subtype].filter(Boolean).join(", ") },
                { head: t.status, cell: ({ status }) => status && label("subscription_status", status) },
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

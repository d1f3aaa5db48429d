/** People: search, and the page of a person with suspension and premium. */
import type { ListItem, ResponseBody } from "parking-lot-client";
import { useState } from "preact/hooks";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { date, dateTime, fromLocalInput, number, toLocalInput } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { href } from "../../../router.ts";
import { Loaded } from "../../../ui/load.tsx";
import { client, may } from "../../kit/access.ts";
import { Acts } from "../activity_logs.tsx";
import { announcement } from "../../kit/announcement.ts";
import { type Choice, Decision } from "../../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { ifMatch, type Seen, useEntry } from "../../kit/entry.ts";
import { SandboxMark } from "../../kit/sandbox_mark.tsx";
import { Table } from "../../kit/table.tsx";

type Person = ResponseBody<"/v1/admin/users/{id}", "get">;
type Row = ListItem<"/v1/admin/users">;

const SCREEN = "/console/users";

const text = texts({
  en: {
    email: "Mail address",
    name: "Display name",
    status: "Status",
    premium: "Premium",
    yes: "Yes",
    no: "No",
    premiumUntil: (time: string) => `until ${time}`,
    created: "Signed up",
    lastSignIn: "Last sign-in",
    all: "All people",
    empty: "No such person.",
    figures: "Figures",
    names: {
      level: "Level",
      total_exp: "Experience points",
      sessions: "Parking sessions",
      reviews: "Reviews",
      error_reports: "Error reports",
      badges: "Badges",
      devices: "Devices",
      saved_parking_lots: "Saved lots",
    },
    subscription: "Subscription",
    noSubscription: "None",
    more: "More about this person",
    reviewsOf: "Reviews",
    subscriptionsOf: "Subscriptions",
    presetsOf: "Search presets",
    notify: "Write a notification",
    account: "Account",
    reason: "Reason",
    reasonHint: "It is on record.",
    suspend: "Suspend",
    suspended: "Suspended.",
    reactivate: "Reactivate",
    reactivated: "Reactivated.",
    grant: "Premium until (Japan time)",
    grantHint: "Without a subscription. It replaces an earlier grant.",
    give: "Give premium",
    given: "Premium is given.",
    take: "Remove the grant",
    taken: "The grant is removed.",
    record: "Acts of administrators",
  },
  ja: {
    email: "メールアドレス",
    name: "表示名",
    status: "状態",
    premium: "プレミアム",
    yes: "あり",
    no: "なし",
    premiumUntil: (time: string) => `${time}まで`,
    created: "登録日",
    lastSignIn: "最終ログイン",
    all: "利用者の一覧",
    empty: "該当する利用者はいません。",
    figures: "利用状況",
    names: {
      level: "レベル",
      total_exp: "経験値",
      sessions: "駐車",
      reviews: "レビュー",
      error_reports: "修正報告",
      badges: "バッジ",
      devices: "端末",
      saved_parking_lots: "保存した駐車場",
    },
    subscription: "サブスクリプション",
    noSubscription: "なし",
    more: "関連する項目",
    reviewsOf: "レビュー",
    subscriptionsOf: "サブスクリプション",
    presetsOf: "検索条件",
    notify: "お知らせを書く",
    account: "アカウント",
    reason: "理由",
    reasonHint: "記録に残ります。",
    suspend: "利用停止",
    suspended: "利用を停止しました。",
    reactivate: "利用再開",
    reactivated: "利用を再開しました。",
    grant: "プレミアムの期限(日本時間)",
    grantHint: "サブスクリプションなしで付与します。以前の付与は置き換えられます。",
    give: "プレミアムを付与",
    given: "プレミアムを付与しました。",
    take: "付与を取り消す",
    taken: "付与を取り消しました。",
    record: "管理者の操作",
  },
});

export function UsersScreen({ parts: [id] }: PageProps) {
  return id === undefined ? <List /> : <One key={id} id={id} />;
}

function List() {
  const t = text.value;
  const nameOf = ({ display_name, email, id }: Row) => display_name ?? email ?? id.slice(0, 8);
  return (
    <Table
      path="/v1/admin/users"
      empty={t.empty}
      filters={[
        { name: "email", label: t.email },
        { name: "display_name", label: t.name },
        { name: "status", label: t.status, options: options("app_user_status") },
        { name: "premium", label: t.premium, options: [["true", t.yes], ["false", t.no]] },
      ]}
      columns={[
        { head: t.name, cell: (person) => <a href={href(`${SCREEN}/${person.id}`)}>{nameOf(person)}</a> },
        { head: t.email, cell: ({ email }) => email },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("app_user_status", status)}</span> },
        { head: t.premium, cell: ({ is_premium }) => is_premium ? t.yes : t.no },
        { head: t.created, cell: ({ created_at }) => date(created_at) },
        { head: t.lastSignIn, cell: ({ last_sign_in_at }) => last_sign_in_at && dateTime(last_sign_in_at) },
      ]}
    />
  );
}

function fields(): FieldOf<Person>[] {
  const t = text.value;
  return [
    { label: t.name, show: ({ display_name }) => display_name },
    { label: t.email, show: ({ email }) => email },
    { label: t.status, show: ({ status }) => label("app_user_status", status) },
    {
      label: t.premium,
      show: ({ is_premium, premium_ends_at }) =>
        is_premium && premium_ends_at !== null ? t.premiumUntil(until(premium_ends_at)) : is_premium ? t.yes : t.no,
    },
    {
      label: t.subscription,
      show: ({ subscription }) =>
        subscription === null ? t.noSubscription : (
          <>
            <a href={href(`/console/subscriptions/${subscription.id}`)}>
              {subscription.plan_code}, {label("subscription_status", subscription.status)}
            </a>{" "}
            <SandboxMark environment={subscription.environment} />
          </>
        ),
      value: ({ subscription }) => [subscription?.id, subscription?.status],
    },
    { label: t.created, show: ({ created_at }) => dateTime(created_at) },
    { label: t.lastSignIn, show: ({ last_sign_in_at }) => last_sign_in_at && dateTime(last_sign_in_at) },
  ];
}

/** A one-time product gives premium without an end (`infinity`). */
const until = (time: string) => Number.isNaN(Date.parse(time)) ? "∞" : dateTime(time);

function One({ id }: { id: string }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/users/{id}", { params: { path }, signal }), [id]);
  const [premiumUntil, setPremiumUntil] = useState(toLocalInput(new Date(Date.now() + 30 * 86_400_000)));

  const act = async (sentence: string, perform: (seen: Seen<Person>) => Promise<unknown>) => {
    if (await entry.change(perform) !== "done") return;
    announcement.value = sentence;
    entry.reload();
  };
  const params = (seen: Seen<Person>) => ({ path, header: ifMatch(seen) });
  const withReason = (
    choice: Omit<Choice, "perform" | "needsReason">,
    perform: (reason: string) => Promise<unknown>,
  ) => ({
    ...choice,
    needsReason: true,
    perform: (reason: string | null) => perform(reason ?? ""),
  });
  const setPremium = (sentence: string, until: string | null, reason: string) =>
    act(
      sentence,
      (seen) => client.POST("/v1/admin/users/{id}/premium", { params: params(seen), body: { until, reason } }),
    );

  const suspend = withReason(
    { name: t.suspend, kind: "danger" },
    (reason) =>
      act(
        t.suspended,
        (seen) => client.POST("/v1/admin/users/{id}/suspend", { params: params(seen), body: { reason } }),
      ),
  );
  const reactivate = withReason(
    { name: t.reactivate, kind: "primary" },
    (reason) =>
      act(
        t.reactivated,
        (seen) => client.POST("/v1/admin/users/{id}/reactivate", { params: params(seen), body: { reason } }),
      ),
  );
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{t.all}</a>
      </p>
      <Loaded load={entry}>
        {({ data: person }) => (
          <>
            <h2>{person.display_name ?? person.email ?? id.slice(0, 8)}</h2>
            {entry.before && <ChangedNote before={entry.before} now={person} fields={fields()} />}
            <div class="console-columns">
              <div>
                <Details data={person} fields={fields()} />
                <Links id={id} />
              </div>
              <section class="card">
                <h3>{t.figures}</h3>
                {(Object.keys(t.names) as (keyof typeof t.names)[]).map((name) => (
                  <p key={name} class="console-figure">
                    <span>{t.names[name]}</span>
                    <strong>{number(person.figures[name])}</strong>
                  </p>
                ))}
              </section>
            </div>
            {person.status !== "withdrawn" && (
              <div class="console-columns">
                <section>
                  <h3>{t.account}</h3>
                  <Decision
                    reason={t.reason}
                    hint={t.reasonHint}
                    choices={[person.status === "active" ? suspend : reactivate]}
                  />
                </section>
                <section>
                  <h3>{t.premium}</h3>
                  <div class="field">
                    <label for="premium-until">{t.grant}</label>
                    <input
                      id="premium-until"
                      aria-describedby="premium-until-hint"
                      type="datetime-local"
                      value={premiumUntil}
                      onInput={(event) => setPremiumUntil(event.currentTarget.value)}
                    />
                    <p class="small" id="premium-until-hint">{t.grantHint}</p>
                  </div>
                  <Decision
                    reason={t.reason}
                    hint={t.reasonHint}
                    choices={[
                      withReason(
                        { name: t.give, kind: "primary" },
                        (reason) => setPremium(t.given, fromLocalInput(premiumUntil), reason),
                      ),
                      withReason({ name: t.take }, (reason) => setPremium(t.taken, null, reason)),
                    ]}
                  />
                </section>
              </div>
            )}
            <h3>{t.record}</h3>
            <Acts key={entry.data?.etag} path="/v1/admin/users/{id}/activity-logs" of={path} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Links({ id }: { id: string }) {
  const t = text.value;
  const links = [
    ["reviews", t.reviewsOf, href("/console/reviews", { user_id: id, status: "approved" })],
    ["users", t.subscriptionsOf, href("/console/subscriptions", { user_id: id })],
    ["search_presets", t.presetsOf, href(`/console/user-search-presets/${id}`)],
    ["notifications", t.notify, href("/console/user-notifications/new", { user_id: id })],
  ] as const;
  return (
    <nav aria-label={t.more}>
      <ul class="choices">
        {links.filter(([area]) => may(area)).map(([, name, address]) => (
          <li key={name}>
            <a class="button" href={address}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

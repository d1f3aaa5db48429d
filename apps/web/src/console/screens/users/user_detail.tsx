/** The page of an app user: what is known, and the acts on the account. */
import { label } from "../../../codes.ts";
import { dateTime, number } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded } from "../../../ui/load.tsx";
import { client, may } from "../../kit/access.ts";
import { ActTable } from "../../kit/act_table.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { useEntry } from "../../kit/entry.ts";
import { SandboxMark } from "../../kit/sandbox_mark.tsx";
import { AccountDecision, type AppUser, PremiumDecision } from "./user_decisions.tsx";
import { UserActivities, UserExport, UserThemeGift, UserWithdrawal } from "./user_more.tsx";

const text = consoleTexts(({ users }) => users);
const unnamed = consoleTexts(({ kit }) => kit.unnamed);

export const SCREEN = "/console/users";

function fields(): FieldOf<AppUser>[] {
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

export function UserDetail({ id }: { id: string }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/users/{id}", { params: { path }, signal }), [id]);
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{t.all}</a>
      </p>
      <Loaded load={entry}>
        {({ data: user, etag }) => (
          <>
            <h2>{user.display_name ?? user.email ?? unnamed.value.user}</h2>
            {entry.before && <ChangedNote before={entry.before} now={user} fields={fields()} />}
            <div class="console-columns">
              <div>
                <Details data={user} fields={fields()} />
                <UserLinks id={id} />
              </div>
              <UserFigures user={user} />
            </div>
            {user.allowed_statuses.length > 0 && (
              <div class="console-columns">
                <AccountDecision entry={entry} user={user} />
                <PremiumDecision entry={entry} />
              </div>
            )}
            <div class="console-columns">
              <UserExport id={id} />
              {may("rewards") && user.status === "active" && <UserThemeGift id={id} />}
              {user.status !== "withdrawn" && <UserWithdrawal entry={entry} />}
            </div>
            <h3>{t.activities}</h3>
            <UserActivities id={id} />
            <h3>{t.record}</h3>
            <ActTable key={etag} path="/v1/admin/users/{id}/activity-logs" of={path} />
          </>
        )}
      </Loaded>
    </>
  );
}

function UserFigures({ user }: { user: AppUser }) {
  const t = text.value;
  return (
    <section class="card">
      <h3>{t.figures}</h3>
      {(Object.keys(t.names) as (keyof typeof t.names)[]).map((name) => (
        <p key={name} class="console-figure">
          <span>{t.names[name]}</span>
          <strong>{number(user.figures[name])}</strong>
        </p>
      ))}
    </section>
  );
}

function UserLinks({ id }: { id: string }) {
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

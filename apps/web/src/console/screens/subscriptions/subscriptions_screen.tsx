/** Subscriptions: search, one with its ledger, and the acts on it. */
import { label, options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import type { PageProps } from "../../../page.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { UserLink } from "../../kit/links.tsx";
import { SandboxMark } from "../../kit/sandbox_mark.tsx";
import { Table } from "../../kit/table.tsx";
import { ends, SCREEN, SubscriptionDetail } from "./subscription_detail.tsx";

const text = consoleTexts(({ subscriptions }) => subscriptions);

export function SubscriptionsScreen({ parts: [id] }: PageProps) {
  return id === undefined ? <SubscriptionList /> : <SubscriptionDetail key={id} id={id} />;
}

function SubscriptionList() {
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
        { head: t.user, cell: ({ user_id }) => <UserLink id={user_id} /> },
        { head: t.store, cell: ({ provider }) => label("iap_provider", provider) },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("subscription_status", status)}</span> },
        { head: t.premium, cell: ({ gives_premium }) => gives_premium ? t.yes : t.no },
        { head: t.until, cell: ({ access_ends_at }) => ends(access_ends_at) },
        { head: t.started, cell: ({ started_at }) => dateTime(started_at) },
      ]}
    />
  );
}

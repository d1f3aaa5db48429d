/** The membership: its state, the plans on sale and what the stores said. Purchases are made in the app. */
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { date, money } from "../../format.ts";
import { language } from "../../language.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";

type Plan = components["schemas"]["SubscriptionPlan"];

const text = pageTexts(({ account }) => account.subscription);

/** Where each store shows and ends subscriptions. */
const STORES = {
  ios_store: "https://apps.apple.com/account/subscriptions",
  android_store: "https://play.google.com/store/account/subscriptions",
} as const;

export function Subscription() {
  const t = text.value;
  const query = { lang: language.value };
  const load = useLoad(async (signal) => {
    const [mine, plans] = await Promise.all([
      client.GET("/v1/me/subscription", { params: { query }, signal }),
      client.GET("/v1/subscription-plans", { params: { query }, signal }),
    ]);
    return { mine: mine.data, plans: plans.data.items };
  }, [language.value]);
  return (
    <>
      <Loaded load={load}>
        {({ mine, plans }) => (
          <>
            <section class="card">
              <p class="account-name">
                {mine.plan?.name ?? t.none}{" "}
                {mine.status && <span class="chip">{label("subscription_status", mine.status)}</span>}
              </p>
              {mine.ended_at && <p class="small">{t.until(date(mine.ended_at))}</p>}
              <div class="row">
                <button type="button" onClick={load.reload}>{t.restore}</button>
              </div>
              <p class="small">{t.restoreHint}</p>
            </section>
            <h2>{t.plans}</h2>
            <ul class="list">
              {plans.map((plan) => (
                <li key={plan.id} class="card">
                  <PlanCard plan={plan} />
                </li>
              ))}
            </ul>
            <p class="small">{t.buy}</p>
            <ul class="account-stores">
              {Object.entries(STORES).map(([store, address]) => (
                <li key={store}>
                  <a href={address} target="_blank" rel="noopener noreferrer">
                    {t.manage(label("iap_provider", store))}
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <h2>{t.history}</h2>
      <PagedList
        read={(signal) => client.pages("/v1/me/subscription/history", { signal })}
        empty={t.noHistory}
        keyOf={({ id }) => id}
      >
        {({ provider, status, occurred_at }) => (
          <p class="rewards-entry">
            <span>{label("iap_provider", provider)} · {date(occurred_at)}</span>
            {status && <strong>{label("subscription_status", status)}</strong>}
          </p>
        )}
      </PagedList>
    </>
  );
}

function PlanCard({ plan }: { plan: Plan }) {
  const t = text.value;
  return (
    <>
      <p class="account-name">{plan.name}</p>
      <p>{t.price(money(plan.price_minor, plan.currency), label("billing_period", plan.billing_period))}</p>
      {plan.description && <p class="small">{plan.description}</p>}
      {Array.isArray(plan.features) && (
        <ul class="account-features">{plan.features.map((feature) => <li key={feature}>{feature}</li>)}</ul>
      )}
    </>
  );
}

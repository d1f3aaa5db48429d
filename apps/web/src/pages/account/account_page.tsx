/** The account: what the driver has, each section at a path of its own. Articles and sponsors are for guests too. */
import type { ComponentType } from "preact";
import type { PageProps } from "../../page.ts";
import { href } from "../../router.ts";
import { user } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Icon } from "../../ui/icon.tsx";
import { SignInFirst } from "../../ui/sign_in_first.tsx";
import { AiKeys } from "./ai_keys.tsx";
import { Articles } from "./articles.tsx";
import { MyData } from "./my_data.tsx";
import { NotificationSettings } from "./notification_settings.tsx";
import { Profile } from "./profile.tsx";
import { MyReports } from "./reports.tsx";
import { MyReviews } from "./reviews.tsx";
import { SavedLots } from "./saved_lots.tsx";
import { SavedSearches } from "./saved_searches.tsx";
import { Security } from "./security.tsx";
import { Sponsors } from "./sponsors.tsx";
import { Subscription } from "./subscription.tsx";
import { Support } from "./support.tsx";
import { VehicleList } from "./vehicles.tsx";

const text = pageTexts(({ account }) => account.accountPage);

type Section = keyof typeof text.value.names;

const SECTIONS: Readonly<Record<Section, ComponentType<PageProps>>> = {
  vehicles: VehicleList,
  saved: SavedLots,
  searches: SavedSearches,
  reviews: MyReviews,
  reports: MyReports,
  notifications: NotificationSettings,
  subscription: Subscription,
  articles: Articles,
  sponsors: Sponsors,
  profile: Profile,
  security: Security,
  keys: AiKeys,
  data: MyData,
  support: Support,
};

const GROUPS: readonly { readonly name: keyof typeof text.value.groups; readonly sections: readonly Section[] }[] = [
  { name: "parking", sections: ["vehicles", "saved", "searches", "reviews", "reports"] },
  { name: "app", sections: ["notifications", "subscription", "articles", "sponsors"] },
  { name: "account", sections: ["profile", "security", "keys", "data", "support"] },
];

/** What everybody can read. */
const FOR_ALL: ReadonlySet<Section> = new Set(["articles", "sponsors"]);

export function AccountPage({ parts: [name, ...rest] }: PageProps) {
  const t = text.value;
  const section = name !== undefined && Object.hasOwn(SECTIONS, name) ? name as Section : undefined;
  const Current = section && SECTIONS[section];
  const title = section ? t.names[section] : name === undefined ? t.title : t.nothing;
  const isAllowed = Boolean(user.value) || (section !== undefined && FOR_ALL.has(section));
  return (
    <div class={name === undefined ? "account" : "account account-open"}>
      <SectionList current={section} />
      <div class="account-content">
        {isAllowed
          ? (
            <>
              <h1>{title}</h1>
              {Current ? <Current parts={rest} /> : <p class="account-mail">{user.value?.email}</p>}
            </>
          )
          : <SignInFirst title={title} />}
      </div>
    </div>
  );
}

function SectionList({ current }: { current: Section | undefined }) {
  const t = text.value;
  const isOffered = (section: Section) => Boolean(user.value) || FOR_ALL.has(section);
  return (
    <nav class="account-sections" aria-label={t.sections}>
      {GROUPS.filter(({ sections }) => sections.some(isOffered)).map(({ name, sections }) => (
        <section key={name} aria-labelledby={`account-${name}`}>
          <h2 id={`account-${name}`}>{t.groups[name]}</h2>
          <ul>
            {sections.filter(isOffered).map((section) => (
              <li key={section}>
                <a href={href(`/account/${section}`)} aria-current={section === current ? "page" : undefined}>
                  {t.names[section]}
                  <Icon name="right" />
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** The account: profile, vehicles, saved lots, reviews and support, each at a path of its own. */
import type { ComponentType } from "preact";
import type { PageProps } from "../../page.ts";
import { href } from "../../router.ts";
import { user } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { SignInFirst } from "../../ui/sign_in_first.tsx";
import { Profile } from "./profile.tsx";
import { MyReviews } from "./reviews.tsx";
import { SavedLots } from "./saved_lots.tsx";
import { Support } from "./support.tsx";
import { VehicleList } from "./vehicles.tsx";

const text = pageTexts(({ account }) => account.accountPage);

type Section = keyof typeof text.value.names;

const SECTIONS: Readonly<Record<Section, ComponentType<PageProps>>> = {
  profile: Profile,
  vehicles: VehicleList,
  saved: SavedLots,
  reviews: MyReviews,
  support: Support,
};
const NAMES = Object.keys(SECTIONS) as Section[];

export function AccountPage({ parts: [name = "profile", ...rest] }: PageProps) {
  const t = text.value;
  if (!user.value) return <SignInFirst title={t.title} />;
  const Current = Object.hasOwn(SECTIONS, name) ? SECTIONS[name as Section] : undefined;
  return (
    <>
      <h1>{Current ? t.names[name as Section] : t.nothing}</h1>
      <nav aria-label={t.sections}>
        <ul class="sections">
          {NAMES.map((section) => (
            <li key={section}>
              <a href={href(`/account/${section}`)} aria-current={section === name ? "page" : undefined}>
                {t.names[section]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {Current && <Current parts={rest} />}
    </>
  );
}

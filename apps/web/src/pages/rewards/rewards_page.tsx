/** Experience points, level, badges and themes. */
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { badges } from "../../following.ts";
import { date, money, number } from "../../format.ts";
import { language } from "../../language.ts";
import { client, user } from "../../service.ts";
import { readTheme } from "../../theme.ts";
import { themeNameOf } from "../../theme_names.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ActionButton, Loaded, useLoad } from "../../ui/load.tsx";
import { Medal } from "../../ui/medal.tsx";
import { PagedList } from "../../ui/paged_list.tsx";
import { SignInFirst } from "../../ui/sign_in_first.tsx";

type Schemas = components["schemas"];

const text = pageTexts(({ rewards }) => rewards.rewardsPage);

export function RewardsPage() {
  const t = text.value;
  if (!user.value) return <SignInFirst title={t.title} />;
  return (
    <>
      <h1>{t.title}</h1>
      <LevelProgress />
      <h2>{t.badges}</h2>
      <div class="rewards-badges">
        <EarnedBadges />
      </div>
      <h2>{t.progress}</h2>
      <BadgeProgress />
      <h2>{t.themes}</h2>
      <ThemeList />
      <ThemeGifts />
      <h2>{t.history}</h2>
      <PagedList
        read={(signal) => client.pages("/v1/me/exp/history", { signal })}
        inputs={[badges.value.state?.items.length]}
        empty={t.noPoints}
        keyOf={(entry) => entry.id}
      >
        {(entry) => (
          <p class="rewards-entry">
            <span>{label("exp_reason", entry.reason)} · {date(entry.created_at)}</span>
            <strong>{entry.amount > 0 ? "+" : ""}{number(entry.amount)}</strong>
          </p>
        )}
      </PagedList>
    </>
  );
}

function LevelProgress() {
  const t = text.value;
  // An earned badge gives points too.
  const load = useLoad(async (signal) => (await client.GET("/v1/me/exp", { signal })).data, [
    badges.value.state?.items.length,
  ]);
  return (
    <Loaded load={load}>
      {({ level, total_exp, next_level_exp, exp_to_next_level }) => (
        <section class="card">
          <p class="rewards-level">{t.level(level)}</p>
          <p>{t.total(number(total_exp))}</p>
          {next_level_exp === null || exp_to_next_level === null ? <p>{t.highest}</p> : (
            <>
              <progress max={next_level_exp} value={total_exp} aria-label={t.level(level + 1)} />
              <p class="small">{t.missing(number(exp_to_next_level))}</p>
            </>
          )}
        </section>
      )}
    </Loaded>
  );
}

function EarnedBadges() {
  const t = text.value;
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/badges", { params: { query: { lang: language.value } }, signal })}
      inputs={[language.value, badges.value.state?.items.length]}
      empty={t.noBadges}
      keyOf={({ id }) => id}
    >
      {({ badge, earned_at }) => (
        <div class="card rewards-badge">
          <BadgeName badge={badge} />
          <p class="small">{t.earned(date(earned_at))}</p>
        </div>
      )}
    </PagedList>
  );
}

function BadgeName({ badge }: { badge: Schemas["MyBadgeProgress"]["badge"] }) {
  return (
    <>
      <h3>
        <Medal /> {badge?.name}
      </h3>
      <p>{badge?.description}</p>
    </>
  );
}

function BadgeProgress() {
  const t = text.value;
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/badge-progress", { params: { query: { lang: language.value } }, signal })}
      inputs={[language.value, badges.value.state?.items.length]}
      empty={t.noBadges}
      keyOf={(progress) => progress.badge_id}
    >
      {({ badge, count, threshold }) => (
        // Earned badges are in the list above.
        count < threshold && (
          <div class="card rewards-badge">
            <BadgeName badge={badge} />
            <progress max={threshold} value={count} aria-label={badge?.name ?? ""} />
            <p class="small">{t.of(number(count), number(threshold))}</p>
          </div>
        )
      )}
    </PagedList>
  );
}

function ThemeList() {
  const load = useLoad(
    async (signal) =>
      (await client.GET("/v1/me/themes", { params: { query: { include: ["catalogue"] } }, signal })).data.catalogue ??
        [],
    [badges.value.state?.items.length],
  );
  const t = text.value;
  return (
    <Loaded load={load}>
      {(themes) => (
        <ul class="rewards-grid">
          {themes.map((theme) => (
            <li key={theme.id} class="card">
              <ThemeSample theme={theme} />
              {theme.preview_url && <img src={theme.preview_url} alt="" loading="lazy" />}
              <h3>{theme.name}</h3>
              <p>{theme.description}</p>
              <p class="small">{theme.is_owned ? t.owned : howToGet(theme)}</p>
              {theme.is_applied && <span class="chip">{t.applied}</span>}
              {theme.is_owned && !theme.is_applied && (
                <ActionButton
                  perform={async () => {
                    await client.POST("/v1/me/themes/{id}/apply", { params: { path: { id: theme.id } } });
                    await readTheme();
                    load.reload();
                  }}
                >
                  {t.apply}
                </ActionButton>
              )}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

/** The colours of a theme. */
function ThemeSample({ theme }: { theme: Schemas["CatalogueTheme"] }) {
  return (
    <span class="rewards-sample" data-sample={themeNameOf(theme) ?? "standard"} aria-hidden="true">
      <span />
      <span />
      <span />
    </span>
  );
}

/** Themes that an administrator gave, with the message. */
function ThemeGifts() {
  const t = text.value;
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/theme-gifts", { signal })}
      inputs={[badges.value.state?.items.length]}
      empty=""
      keyOf={({ id }) => id}
    >
      {({ theme, message, created_at }) => (
        <p class="card">
          {t.given(theme.name, date(created_at))} {message}
        </p>
      )}
    </PagedList>
  );
}

function howToGet({ price_yen_minor, unlock_level, unlock_badge_id }: Schemas["CatalogueTheme"]): string {
  const t = text.value;
  if (unlock_level !== null) return t.level_theme(unlock_level);
  if (unlock_badge_id !== null) return t.badge_theme;
  return price_yen_minor === null ? t.gift : `${t.price}: ${money(price_yen_minor)}`;
}

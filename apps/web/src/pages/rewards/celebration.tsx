/** The animation of a badge that was just earned, on whatever page it happens. */
import { earnedBadges } from "../../following.ts";
import { language } from "../../language.ts";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { useLoad } from "../../ui/load.tsx";
import { Medal } from "../../ui/medal.tsx";

const text = pageTexts(({ rewards }) => rewards.celebration);

export function Celebration() {
  const [earned] = earnedBadges.value;
  const t = text.value;
  const close = () => earnedBadges.value = earnedBadges.value.slice(1);
  return (
    <div role="status">
      {earned && (
        <div class="celebration" key={earned.id}>
          <span class="celebration-medal">
            <Medal />
          </span>
          <p>
            {t.earned}: <EarnedBadgeName id={earned.id} />
          </p>
          <div class="row">
            <a class="button" href={href("/rewards")} onClick={close}>{t.see}</a>
            <button type="button" class="quiet" onClick={close}>{t.close}</button>
          </div>
        </div>
      )}
    </div>
  );
}

/** The name in the language of the page; the event has it in Japanese. */
function EarnedBadgeName({ id }: { id: string }) {
  const lang = language.value;
  const { data } = useLoad(
    async (signal) => (await client.GET("/v1/me/badges", { params: { query: { lang } }, signal })).data.items,
    [id, lang],
  );
  return <strong>{data?.find((earned) => earned.id === id)?.badge?.name}</strong>;
}

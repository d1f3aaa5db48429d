/** The reviews that a user wrote, with their states. */
import { useState } from "preact/hooks";
import { label } from "../../codes.ts";
import { date } from "../../format.ts";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ActionButton } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";

const text = pageTexts(({ account }) => account.reviews);

export function MyReviews() {
  const [changes, setChanges] = useState(0);
  const t = text.value;
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/reviews", { signal })}
      inputs={[changes]}
      empty={t.nothing}
      keyOf={({ id }) => id}
    >
      {({ id, parking_lot_id, rating, comment, status, created_at }) => (
        <article class="card">
          <p>
            <span role="img" aria-label={t.stars(rating)}>{"★".repeat(rating)}{"☆".repeat(5 - rating)}</span>{" "}
            <span class="chip">{label("review_status", status)}</span>
          </p>
          {comment && <p>{comment}</p>}
          <p class="small">
            <a href={href(`/lots/${parking_lot_id}`)}>{t.lot}</a> · {date(created_at)}
          </p>
          <ActionButton
            class="danger"
            perform={async () => {
              await client.DELETE("/v1/me/reviews/{id}", { params: { path: { id } } });
              setChanges((n) => n + 1);
            }}
          >
            {t.delete}
          </ActionButton>
        </article>
      )}
    </PagedList>
  );
}

/** The reviews of the lot, and the review of the user. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { date, number } from "../../format.ts";
import { client, isSignedIn } from "../../service.ts";
import { Field, Form, Select, TextArea } from "../../ui/form.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";
import { askToSignIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot, LotProps } from "./lot.ts";
import { filesOf, PHOTO_TYPES, uploadAll } from "./uploads.ts";

type MyReview = components["schemas"]["MyReview"];
type Review = components["schemas"]["PublicReview"] | MyReview;

const text = pageTexts(({ lot }) => lot.reviewSection);

export function ReviewSection({ lot }: LotProps) {
  const t = text.value;
  return (
    <section aria-labelledby="lot-reviews">
      <h2 id="lot-reviews">{t.title}</h2>
      {lot.review_count > 0 && <Histogram lot={lot} />}
      <PagedList
        read={(signal) => client.pages("/v1/parking-lots/{id}/reviews", { params: { path: { id: lot.id } }, signal })}
        inputs={[lot.id]}
        empty={t.none}
        keyOf={({ id }) => id}
      >
        {(review) => <ReviewCard review={review} author={review.user_name} />}
      </PagedList>
      {isSignedIn.value ? <MyReview lot={lot} /> : (
        <p>
          <button type="button" onClick={() => askToSignIn()}>{t.signIn}</button>
        </p>
      )}
    </section>
  );
}

function Histogram({ lot }: { lot: Lot }) {
  const load = useLoad(async (signal) => {
    const params = { path: { id: lot.id }, query: { limit: 1 } };
    return (await client.GET("/v1/parking-lots/{id}/reviews", { params, signal })).data.rating_histogram;
  }, [lot.id, lot.review_count]);
  const t = text.value;
  return (
    <Loaded load={load}>
      {(histogram) => (
        <table class="lot-histogram">
          <caption class="visually-hidden">{t.histogram}</caption>
          <tbody>
            {([5, 4, 3, 2, 1] as const).map((stars) => (
              <tr key={stars}>
                <th scope="row">
                  <ReviewStars count={stars} />
                </th>
                <td>
                  <meter min={0} max={Math.max(1, lot.review_count)} value={histogram[stars]} aria-hidden="true" />
                </td>
                <td class="number">{number(histogram[stars])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Loaded>
  );
}

function ReviewStars({ count }: { count: number }) {
  return (
    <>
      <span aria-hidden="true">{"★".repeat(count)}{"☆".repeat(5 - count)}</span>
      <span class="visually-hidden">{text.value.stars(count)}</span>
    </>
  );
}

function ReviewCard({ review, author }: { review: Review; author?: string }) {
  const t = text.value;
  return (
    <div class="card">
      <p class="row">
        <ReviewStars count={review.rating} /> {author && <strong class="lot-author">{author}</strong>}
        <span class="small">{date(review.created_at)}</span>
        {review.status !== "approved" && <span class="chip">{label("review_status", review.status)}</span>}
      </p>
      {review.comment && <p class="lot-comment">{review.comment}</p>}
      {review.photo_urls.length > 0 && (
        <ul class="lot-pictures">
          {review.photo_urls.map((url, index) => (
            <li key={url}>
              <img src={url} alt={t.photo(index + 1)} loading="lazy" />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The user's review of this lot, or the form for one: a user has one review of a lot. */
function MyReview({ lot }: { lot: Lot }) {
  const t = text.value;
  const [sent, setSent] = useState<MyReview>();
  const load = useLoad((signal) => findMine(lot.id, signal), [lot.id]);
  return (
    <Loaded load={load}>
      {(found) => {
        const mine = sent ?? found;
        return mine
          ? (
            <div aria-live="polite">
              <h3>{t.mine}</h3>
              <ReviewCard review={mine} />
              {mine.status === "pending" && <p class="small">{t.pendingHint}</p>}
            </div>
          )
          : <WriteReview lot={lot} onSent={setSent} />;
      }}
    </Loaded>
  );
}

/** Null if the user has written none. */
async function findMine(lotId: string, signal: AbortSignal): Promise<MyReview | null> {
  const reviews = client.pages("/v1/me/reviews", { params: { query: { limit: 100 } }, signal });
  for await (const review of reviews) if (review.parking_lot_id === lotId) return review;
  return null;
}

function WriteReview({ lot, onSent }: { lot: Lot; onSent: (review: MyReview) => void }) {
  const t = text.value;
  const send = async (values: FormData) => {
    const photos = await uploadAll(filesOf(values, "photo_asset_ids"), { category: "review", is_public: true });
    const { data } = await client.POST("/v1/parking-lots/{id}/reviews", {
      params: { path: { id: lot.id } },
      body: {
        rating: Number(values.get("rating")),
        comment: String(values.get("comment")),
        ...(photos.length > 0 ? { photo_asset_ids: photos } : {}),
      },
    });
    onSent(data);
  };
  return (
    <details>
      <summary>{t.write}</summary>
      <Form submit={t.send} onSubmit={send}>
        <Select
          name="rating"
          label={t.rating}
          options={["5", "4", "3", "2", "1"].map((stars) => [stars, "★".repeat(Number(stars))] as const)}
          required
        />
        <TextArea name="comment" label={t.comment} rows={4} maxLength={2000} />
        <Field name="photo_asset_ids" label={t.photos} type="file" accept={PHOTO_TYPES} multiple />
      </Form>
    </details>
  );
}

/** The reviews of the lot, and the review of the user. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { NewReview } from "../../bounds.ts";
import { label } from "../../codes.ts";
import { date, number } from "../../format.ts";
import { uploadPhotos } from "../../photos.ts";
import { deliver } from "../../outbox.ts";
import { client, isSignedIn } from "../../service.ts";
import { Checkbox, Form, Select, TextArea } from "../../ui/form.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";
import { type Outcome, OutcomeNote, outcomeOf } from "../../ui/outcome_note.tsx";
import { PhotoPicker, usePhotos } from "../../ui/photo_picker.tsx";
import { askToSignIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot, LotProps } from "./lot.ts";

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
  const [isEdited, setIsEdited] = useState(false);
  const load = useLoad((signal) => findMine(lot.id, signal), [lot.id]);
  const keep = (review: MyReview) => {
    setSent(review);
    setIsEdited(false);
  };
  return (
    <Loaded load={load}>
      {(found) => {
        const mine = sent ?? found;
        if (mine === null) return <WriteReview lot={lot} onSent={keep} />;
        return (
          <div aria-live="polite">
            <h3>{t.mine}</h3>
            <ReviewCard review={mine} />
            {mine.status === "pending" && <p class="small">{t.pendingHint}</p>}
            <button type="button" onClick={() => setIsEdited(true)}>{t.edit}</button>
            {isEdited && (
              <Dialog title={t.editTitle} onClose={() => setIsEdited(false)}>
                <ReviewForm
                  review={mine}
                  send={async (body) => {
                    const params = { path: { id: mine.id } };
                    keep((await client.PATCH("/v1/me/reviews/{id}", { params, body })).data);
                  }}
                />
              </Dialog>
            )}
          </div>
        );
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
  const params = { path: { id: lot.id } };
  const [outcome, setOutcome] = useState<Outcome>();
  const send = async (body: ReviewBody) => {
    const sent = await deliver(
      "review",
      (keyed) => client.POST("/v1/parking-lots/{id}/reviews", { params, body, ...keyed }),
    );
    setOutcome(outcomeOf(sent));
    if (sent) onSent(sent.data);
  };
  return (
    <details>
      <summary>{text.value.write}</summary>
      {outcome === "waits" ? <OutcomeNote outcome={outcome} sent="" /> : <ReviewForm send={send} />}
    </details>
  );
}

interface ReviewBody {
  readonly rating: number;
  readonly comment: string;
  readonly photo_asset_ids?: string[];
}

/** The form of a new review, or of one that exists. Photos that are not touched stay as they are. */
export function ReviewForm({ review, send }: { review?: MyReview; send: (body: ReviewBody) => Promise<void> }) {
  const t = text.value;
  const [photos, setPhotos] = usePhotos();
  const [progress, setProgress] = useState<number>();
  const hasPhotos = (review?.photo_urls.length ?? 0) > 0;
  const submit = async (values: FormData) => {
    const blobs = photos.map(({ blob }) => blob);
    const ids = await uploadPhotos(blobs, { category: "review", is_public: true }, setProgress)
      .finally(() => setProgress(undefined));
    const isChanged = ids.length > 0 || values.has("without_photos");
    await send({
      rating: Number(values.get("rating")),
      comment: String(values.get("comment")),
      ...(isChanged ? { photo_asset_ids: ids } : {}),
    });
  };
  return (
    <Form submit={review ? t.save : t.send} onSubmit={submit}>
      <Select
        name="rating"
        label={t.rating}
        placeholder={t.choose}
        options={[5, 4, 3, 2, 1].map((stars) => [String(stars), t.starNames[stars - 1]!] as const)}
        defaultValue={review && String(review.rating)}
        required
      />
      <TextArea name="comment" label={t.comment} rows={4} {...NewReview.comment} defaultValue={review?.comment ?? ""} />
      <PhotoPicker
        name="photo_asset_ids"
        label={t.photos}
        {...(hasPhotos ? { hint: t.replaces } : {})}
        most={4}
        photos={photos}
        onChange={setPhotos}
        progress={progress}
      />
      {hasPhotos && photos.length === 0 && <Checkbox name="without_photos" label={t.removePhotos} />}
    </Form>
  );
}

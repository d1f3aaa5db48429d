/** A review with its photos, and the decision on it. */
import { label } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { Decision } from "../../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { useEntry } from "../../kit/entry.ts";
import { UserLink } from "../../kit/links.tsx";
import { choiceOf, type Review, type ReviewStatus } from "./review_decisions.tsx";

const text = consoleTexts(({ reviews }) => reviews);

function fields(): FieldOf<Review>[] {
  const t = text.value;
  return [
    { label: t.status, show: ({ status }) => label("review_status", status) },
    { label: t.rating, show: ({ rating }) => <RatingStars rating={rating} />, value: ({ rating }) => rating },
    { label: t.comment, show: ({ comment }) => comment },
    {
      label: t.photos,
      show: ({ photo_urls }) =>
        photo_urls.length === 0 ? null : (
          <span class="row">
            {photo_urls.map((url, index) => (
              <a key={url} href={url} target="_blank" rel="noopener">
                <img class="console-photo" src={url} alt={t.photo(index + 1)} />
              </a>
            ))}
          </span>
        ),
      value: ({ photo_urls }) => photo_urls.map((url) => url.split("?")[0]),
    },
    {
      label: t.author,
      show: ({ user_id, user_name }) => <UserLink id={user_id} name={user_name} />,
      value: ({ user_name }) => user_name,
    },
    { label: t.written, show: ({ created_at }) => dateTime(created_at) },
    { label: t.edited, show: ({ updated_at }) => dateTime(updated_at) },
  ];
}

export function ReviewDetail({ id, decided }: { id: string; decided: (sentence: string) => void }) {
  const t = text.value;
  const params = { path: { id } };
  const entry = useEntry((signal) => client.GET("/v1/admin/reviews/{id}", { params, signal }), [id]);
  const decide = async (status: ReviewStatus, reason: string | null) => {
    const outcome = await entry.change(({ data }) =>
      client.PATCH("/v1/admin/reviews/{id}", {
        params,
        body: { status, seen_updated_at: data.updated_at, ...(reason === null ? {} : { reason }) },
      })
    );
    if (outcome === "done") decided(t.done[status]);
  };
  return (
    <Loaded load={entry}>
      {({ data: review }) => (
        <>
          <h2>
            <a href={href(`/lots/${review.parking_lot_id}`)}>{review.parking_lot_name}</a>
          </h2>
          {entry.before && <ChangedNote before={entry.before} now={review} fields={fields()} />}
          <Details data={review} fields={fields()} />
          {review.allowed_statuses.length > 0 && (
            <Decision
              reason={t.reason}
              hint={t.reasonHint}
              choices={review.allowed_statuses.map((status) =>
                choiceOf(status, t.actions[status], (reason) => decide(status, reason))
              )}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

export function RatingStars({ rating }: { rating: number }) {
  return <span role="img" aria-label={text.value.stars(rating)}>{"★".repeat(rating)}{"☆".repeat(5 - rating)}</span>;
}

/** Reviews: single decisions with a reason, and several at once. */
import { options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import type { PageProps } from "../../../page.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Queue } from "../../kit/queue.tsx";
import { type Review, ReviewDecisions } from "./review_decisions.tsx";
import { RatingStars, ReviewDetail } from "./review_detail.tsx";

const text = consoleTexts(({ reviews }) => reviews);

export function ReviewsScreen({ parts }: PageProps) {
  const t = text.value;
  return (
    <Queue
      path="/v1/admin/reviews"
      screen="/console/reviews"
      id={parts[0]}
      empty={t.empty}
      filters={[
        {
          name: "status",
          label: t.status,
          options: options("review_status").filter(([code]) => code !== "pending"),
          without: t.waiting,
        },
        { name: "parking_lot_id", label: t.lotId, isFromLink: true },
        { name: "user_id", label: t.userId, isFromLink: true },
      ]}
      line={(review) => <ReviewLine review={review} />}
      detail={(id, decided) => <ReviewDetail id={id} decided={decided} />}
      several={(reviews, done) => <ReviewDecisions reviews={reviews} done={done} />}
    />
  );
}

function ReviewLine({ review }: { review: Review }) {
  return (
    <>
      <span class="row">
        <strong>{review.parking_lot_name}</strong>
        <RatingStars rating={review.rating} />
      </span>
      <span class="console-text">{review.comment ?? text.value.noComment}</span>
      <span class="small">
        <bdi>{review.user_name ?? "–"}</bdi>, {dateTime(review.created_at)}
      </span>
    </>
  );
}

/** Reviews: single decisions with a reason, and several at once. */
import type { components, ListItem } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { href } from "../../../router.ts";
import { Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { type Choice, Decision } from "../../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { useEntry } from "../../kit/entry.ts";
import { PersonLink } from "../../kit/links.tsx";
import { Queue } from "../../kit/queue.tsx";

type Review = ListItem<"/v1/admin/reviews">;
type Status = components["schemas"]["ReviewDecision"]["status"];

const text = texts({
  en: {
    empty: "No review waits.",
    status: "Status",
    waiting: "Pending",
    lot: "Lot",
    author: "Author",
    rating: "Rating",
    stars: (rating: number) => `${rating} of 5 stars`,
    comment: "Comment",
    photos: "Photos",
    photo: (n: number) => `Photo ${n}`,
    written: "Written",
    edited: "Edited",
    noComment: "No comment",
    reason: "Reason",
    reasonHint: "It is on record, and the author reads it.",
    actions: { approved: "Approve", rejected: "Reject", hidden: "Hide" },
    done: { approved: "Approved.", rejected: "Rejected.", hidden: "Hidden." },
    allDone: (n: number) => `${n} decided.`,
    lotId: "Id of the lot",
    userId: "Id of the author",
  },
  ja: {
    empty: "審査待ちのレビューはありません。",
    status: "状態",
    waiting: "審査待ち",
    lot: "駐車場",
    author: "投稿者",
    rating: "評価",
    stars: (rating: number) => `5点中${rating}点`,
    comment: "コメント",
    photos: "写真",
    photo: (n: number) => `写真${n}`,
    written: "投稿日時",
    edited: "更新日時",
    noComment: "コメントなし",
    reason: "理由",
    reasonHint: "記録に残り、投稿者に通知されます。",
    actions: { approved: "承認", rejected: "却下", hidden: "非表示にする" },
    done: { approved: "承認しました。", rejected: "却下しました。", hidden: "非表示にしました。" },
    allDone: (n: number) => `${n}件を処理しました。`,
    lotId: "駐車場のID",
    userId: "投稿者のID",
  },
});

/** The decisions by status; a rejected review waits for its author (docs/domains/states.md). */
const MOVES: Readonly<Record<Review["status"], readonly Status[]>> = {
  pending: ["approved", "rejected"],
  approved: ["hidden"],
  hidden: ["approved"],
  rejected: [],
};

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
      line={(review) => <Line review={review} />}
      detail={(id, decided) => <Review id={id} decided={decided} />}
      several={(reviews, done) => <Several reviews={reviews} done={done} />}
    />
  );
}

function Line({ review }: { review: Review }) {
  return (
    <>
      <span class="row">
        <strong>{review.parking_lot_name}</strong>
        <Stars rating={review.rating} />
      </span>
      <span class="console-text">{review.comment ?? text.value.noComment}</span>
      <span class="small">{review.user_name ?? "–"}, {dateTime(review.created_at)}</span>
    </>
  );
}

function Stars({ rating }: { rating: number }) {
  return <span role="img" aria-label={text.value.stars(rating)}>{"★".repeat(rating)}{"☆".repeat(5 - rating)}</span>;
}

function fields(): FieldOf<Review>[] {
  const t = text.value;
  return [
    { label: t.status, show: ({ status }) => label("review_status", status) },
    { label: t.rating, show: ({ rating }) => <Stars rating={rating} />, value: ({ rating }) => rating },
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
      show: ({ user_id, user_name }) => <PersonLink id={user_id} name={user_name} />,
      value: ({ user_name }) => user_name,
    },
    { label: t.written, show: ({ created_at }) => dateTime(created_at) },
    { label: t.edited, show: ({ updated_at }) => dateTime(updated_at) },
  ];
}

function Review({ id, decided }: { id: string; decided: (sentence: string) => void }) {
  const t = text.value;
  const params = { path: { id } };
  const entry = useEntry((signal) => client.GET("/v1/admin/reviews/{id}", { params, signal }), [id]);
  const choice = (status: Status): Choice => ({
    name: t.actions[status],
    kind: status === "approved" ? "primary" : "danger",
    needsReason: status !== "approved",
    perform: async (reason) => {
      const outcome = await entry.change(({ data }) =>
        client.PATCH("/v1/admin/reviews/{id}", {
          params,
          body: { status, seen_updated_at: data.updated_at, ...(reason === null ? {} : { reason }) },
        })
      );
      if (outcome === "done") decided(t.done[status]);
    },
  });
  return (
    <Loaded load={entry}>
      {({ data: review }) => (
        <>
          <h2>
            <a href={href(`/lots/${review.parking_lot_id}`)}>{review.parking_lot_name}</a>
          </h2>
          {entry.before && <ChangedNote before={entry.before} now={review} fields={fields()} />}
          <Details data={review} fields={fields()} />
          {MOVES[review.status].length > 0 && (
            <Decision reason={t.reason} hint={t.reasonHint} choices={MOVES[review.status].map(choice)} />
          )}
        </>
      )}
    </Loaded>
  );
}

function Several({ reviews, done }: { reviews: readonly Review[]; done: (sentence: string) => void }) {
  const t = text.value;
  const statuses = (["approved", "rejected", "hidden"] as const).filter((status) =>
    reviews.every((review) => MOVES[review.status].includes(status))
  );
  const choice = (status: Status): Choice => ({
    name: `${t.actions[status]} (${reviews.length})`,
    kind: status === "approved" ? "primary" : "danger",
    needsReason: status !== "approved",
    perform: async (reason) => {
      const { data } = await client.POST("/v1/admin/reviews/decisions", {
        body: {
          decisions: reviews.map(({ id, updated_at }) => ({
            id,
            status,
            seen_updated_at: updated_at,
            ...(reason === null ? {} : { reason }),
          })),
        },
      });
      const failed = data.items.filter(({ error }) => error);
      const nameOf = (id: string) => reviews.find((review) => review.id === id)?.parking_lot_name;
      done([
        t.allDone(reviews.length - failed.length),
        ...failed.map(({ id, error }) => `${nameOf(id)}: ${error?.message}`),
      ].join(" "));
    },
  });
  return <Decision reason={t.reason} choices={statuses.map(choice)} />;
}

/** The decisions on reviews: a button for each, and those that several reviews allow at once. */
import type { components, ListItem } from "parking-lot-client";
import { consoleTexts } from "../../../texts/console.ts";
import { client } from "../../kit/access.ts";
import { type Choice, Decision } from "../../kit/decision.tsx";

const text = consoleTexts(({ reviews }) => reviews);

export type Review = ListItem<"/v1/admin/reviews">;
export type ReviewStatus = components["schemas"]["ReviewDecision"]["status"];

/** A user who loses something by a decision reads why. */
export function choiceOf(status: ReviewStatus, name: string, perform: Choice["perform"]): Choice {
  return {
    name,
    kind: status === "approved" ? "primary" : "danger",
    needsReason: status !== "approved",
    perform,
  };
}

export function ReviewDecisions({ reviews, done }: { reviews: readonly Review[]; done: (sentence: string) => void }) {
  const t = text.value;
  const statuses = reviews[0]!.allowed_statuses.filter((status) =>
    reviews.every(({ allowed_statuses }) => allowed_statuses.includes(status))
  );
  const decide = async (status: ReviewStatus, reason: string | null) => {
    const decisions = reviews.map(({ id, updated_at }) => ({
      id,
      status,
      seen_updated_at: updated_at,
      ...(reason === null ? {} : { reason }),
    }));
    const { data } = await client.POST("/v1/admin/reviews/decisions", { body: { decisions } });
    const failed = data.items.filter(({ error }) => error);
    const nameOf = (id: string) => reviews.find((review) => review.id === id)?.parking_lot_name;
    done([
      t.allDone(reviews.length - failed.length),
      ...failed.map(({ id, error }) => `${nameOf(id)}: ${error?.message}`),
    ].join(" "));
  };
  return (
    <Decision
      reason={t.reason}
      choices={statuses.map((status) =>
        choiceOf(status, `${t.actions[status]} (${reviews.length})`, (reason) => decide(status, reason))
      )}
    />
  );
}

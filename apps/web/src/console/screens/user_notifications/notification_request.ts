/** The request that the form of a notification sends. */
import type { components } from "parking-lot-client";
import { fromLocalInput } from "../../../local_time.ts";

export type NewNotification = components["schemas"]["NewComposedNotification"];
export type Segment = NonNullable<NewNotification["segment"]>;

/** The sides of the area of a segment. */
export const SIDES = ["west", "south", "east", "north"] as const;

/** The request of the form. The names of its fields are the paths in the request, so that errors find them. */
export function requestOf(values: FormData): NewNotification {
  const of = (name: string) => String(values.get(name) ?? "").trim();
  const [level, since, plan] = [of("segment.min_level"), of("segment.last_active_since"), of("segment.plan")];
  // The service names a side that is missing.
  const box = SIDES.flatMap((side) =>
    of(`segment.box.${side}`) === "" ? [] : [[side, Number(of(`segment.box.${side}`))]]
  );
  const segment: Segment = {
    ...(level === "" ? {} : { min_level: Number(level) }),
    ...(since === "" ? {} : { last_active_since: fromLocalInput(since) }),
    ...(plan === "" ? {} : { plan }),
    ...(box.length === 0 ? {} : { box: Object.fromEntries(box) }),
  };
  const target = of("target") as NewNotification["target"];
  const at = of("scheduled_at");
  return {
    type: of("type"),
    title: of("title"),
    body: of("body"),
    title_en: of("title_en") || null,
    body_en: of("body_en") || null,
    target,
    user_id: target === "user" ? of("user_id") : null,
    segment: Object.keys(segment).length === 0 ? null : segment,
    scheduled_at: at === "" ? null : fromLocalInput(at),
  };
}

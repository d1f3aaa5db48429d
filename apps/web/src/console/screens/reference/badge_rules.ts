/** The conditions of a badge as the rows of its builder, and the rows as conditions. */

export const KINDS = [
  "session_end",
  "review_post",
  "review_approved",
  "error_report_post",
  "error_report_resolved",
  "field_confirm",
  "field_deny",
  "lot_save",
  "occupancy_report",
  "support_ticket_post",
  "sponsor_checkin",
] as const;
export const MEASURES = ["count", "distinct_lots", "distinct_days", "streak_days"] as const;
export const OPERATORS = ["hours", "weekdays", "dates", "min", "max", "equals"] as const;

export type Operator = (typeof OPERATORS)[number];
type Predicate = Readonly<Record<string, unknown>>;

export interface Rule {
  readonly operator: Operator;
  readonly isNot: boolean;
  /** The argument of the operator: `{ from, to }`, the weekdays, or `{ field, value }`. */
  readonly value: unknown;
}

export interface Conditions {
  readonly activity: readonly string[];
  readonly measure: string;
  readonly join: "all" | "any";
  readonly rules: readonly Rule[];
  /** A `where` that has no rows: it stays as it is. */
  readonly other?: Predicate;
}

const FIRST: Readonly<Record<Operator, unknown>> = {
  hours: { from: 22, to: 5 },
  weekdays: [0, 6],
  dates: { from: "2027-01-01", to: "2027-12-31" },
  min: { field: "rating", value: 4 },
  max: { field: "rating", value: 2 },
  equals: { field: "rating", value: 5 },
};

export const newRule = (operator: Operator): Rule => ({ operator, isNot: false, value: FIRST[operator] });

const isObject = (value: unknown): value is Predicate =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function readConditions(value: unknown): Conditions {
  const { activity, measure, where } = isObject(value) ? value : {} as Predicate;
  const plain = {
    activity: Array.isArray(activity) ? activity.map(String) : [],
    measure: typeof measure === "string" ? measure : "count",
    join: "all" as const,
    rules: [],
  };
  if (!isObject(where)) return plain;
  const [[join, listed] = ["", undefined]] = Object.entries(where);
  const isJoined = (join === "all" || join === "any") && Array.isArray(listed);
  const rules = (isJoined ? listed : [where]).map(ruleOf);
  if (rules.some((rule) => rule === undefined)) return { ...plain, other: where };
  return { ...plain, join: isJoined ? join : "all", rules: rules as Rule[] };
}

function ruleOf(predicate: unknown): Rule | undefined {
  if (!isObject(predicate)) return undefined;
  const [[operator, value] = ["", undefined]] = Object.entries(predicate);
  if (operator === "not") {
    const inner = ruleOf(value);
    return inner === undefined || inner.isNot ? undefined : { ...inner, isNot: true };
  }
  const known = OPERATORS.find((name) => name === operator);
  return known && { operator: known, isNot: false, value };
}

/** The request of the rows. One row alone needs no list. */
export function writeConditions({ activity, measure, join, rules, other }: Conditions): Predicate {
  const predicates = rules.map(({ operator, isNot, value }) =>
    isNot ? { not: { [operator]: value } } : {
      [operator]: value,
    }
  );
  const where = other ?? (predicates.length < 2 ? predicates[0] : { [join]: predicates });
  return { activity, measure, ...(where === undefined ? {} : { where }) };
}

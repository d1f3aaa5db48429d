// Filters as they apply to a table. What Postgres would surely answer the same is judged here; the rest is asked of it.

/** A filter that Postgres has admitted. */
export interface AdmittedFilter {
  readonly column: string;
  readonly operator: string;
  readonly value: string;
  readonly negated: boolean;
  /** The oid of the column's type. */
  readonly type: number;
  /** The value, or those of `in`, as the type writes them. */
  readonly values: readonly (string | null)[] | null;
}

/** bool, int8, int2, int4, text, oid, date, varchar, timestamp, timestamptz, uuid: equal exactly when they are written alike. */
const WRITTEN_ALIKE = new Set([16, 20, 21, 23, 25, 26, 1082, 1043, 1114, 1184, 2950]);
const INTEGERS = new Set([20, 21, 23]);

/** True, false, or null for what SQL calls unknown. */
export type Verdict = boolean | null;

/** Judges a value of the column; undefined for a filter that is Postgres's to judge. */
export function judgeOf(filter: AdmittedFilter): ((text: string | null) => Verdict) | undefined {
  const judge = plainJudge(filter);
  return judge && filter.negated ? (text) => not(judge(text)) : judge;
}

export function not(verdict: Verdict): Verdict {
  return verdict === null ? null : !verdict;
}

/** The texts of which the column must have one for the filter to pass; undefined when it is not so simple. */
export function requiredTexts({ operator, negated, type, values }: AdmittedFilter): readonly string[] | undefined {
  if (negated || (operator !== "eq" && operator !== "in") || !WRITTEN_ALIKE.has(type) || values === null) {
    return undefined;
  }
  return values.filter((value) => value !== null);
}

function plainJudge(filter: AdmittedFilter): ((text: string | null) => Verdict) | undefined {
  const { operator, value, type, values } = filter;
  if (operator === "is") {
    if (value === "null" || value === "unknown") return (text) => text === null;
    const wanted = value === "true" ? "t" : "f";
    return (text) => text === wanted;
  }
  if (!WRITTEN_ALIKE.has(type) || values === null) return undefined;
  const [one] = values as [string | null];
  switch (operator) {
    case "eq":
      return (text) => text === null || one === null ? null : text === one;
    case "neq":
      return (text) => text === null || one === null ? null : text !== one;
    case "isdistinct":
      return (text) => text !== one;
    case "in": {
      const among = new Set(values);
      return (text) =>
        text === null ? (among.size === 0 ? false : null) : among.has(text) || (among.has(null) ? null : false);
    }
    default:
      return INTEGERS.has(type) && one !== null ? orderJudge(operator, BigInt(one)) : undefined;
  }
}

function orderJudge(operator: string, bound: bigint): ((text: string | null) => Verdict) | undefined {
  const compare = ({
    lt: (value: bigint) => value < bound,
    lte: (value: bigint) => value <= bound,
    gt: (value: bigint) => value > bound,
    gte: (value: bigint) => value >= bound,
  } as Record<string, (value: bigint) => boolean>)[operator];
  return compare && ((text) => text === null ? null : compare(BigInt(text)));
}

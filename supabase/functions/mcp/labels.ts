/** Labels of codes, as `GET /codes` has them. */
import type { z } from "zod";
import { Codes } from "../_shared/schema/codes.ts";
import type { Lang } from "./lang.ts";
import { type Call, OperationError, operations } from "./operations.ts";

export type Labels = ReadonlyMap<string, string>;

/** As long as a client keeps the codes. */
const KEPT_MS = 300_000;

const kept = new Map<Lang, { readonly labels: Labels; readonly until: number }>();

/**
 * The labels of the kinds of fee lines. A process reads the codes once in five minutes, not with each call. An error is no
 * reason to return no fee: the text has the labels of before then, or the codes.
 */
export async function feeLineLabels(call: Call, lang: Lang): Promise<Labels> {
  const last = kept.get(lang);
  if (last !== undefined && last.until > Date.now()) return last.labels;
  try {
    const labels = lineLabels(Codes.parse(await call(operations.listCodes, { query: { lang } })));
    kept.set(lang, { labels, until: Date.now() + KEPT_MS });
    return labels;
  } catch (failure) {
    if (!(failure instanceof OperationError)) throw failure;
    return last?.labels ?? new Map();
  }
}

function lineLabels({ items }: z.output<typeof Codes>): Labels {
  const lines = items.filter(({ category_id }) => category_id === "fee_line_kind");
  return new Map(lines.map(({ code, display_label }) => [code, display_label]));
}

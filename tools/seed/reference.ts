// What is read rather than searched: plans, articles and advertisements, invented like the lots.
import { insert } from "./sql.ts";

const PLANS = [
  {
    code: "premium_monthly",
    name: "プレミアム（月額）",
    name_en: "Premium, monthly",
    description: "毎月の自動更新です。",
    description_en: "Renews every month.",
    price_minor: 480,
    billing_period: "month",
    accent_color: "#1565c0",
    sort_order: 10,
  },
  {
    code: "premium_yearly",
    name: "プレミアム（年額）",
    name_en: "Premium, yearly",
    description: "毎年の自動更新です。2か月分お得です。",
    description_en: "Renews every year, for the price of ten months.",
    price_minor: 4800,
    billing_period: "year",
    accent_color: "#f9a825",
    sort_order: 20,
  },
];
const FEATURES = ["歩く時間を料金に換算した検索", "AI検索が1分に60回まで"];
const FEATURES_EN = ["A search that counts the walk", "60 AI searches a minute"];

const ARTICLES = [
  [
    "how-maximum-fees-work",
    "ja",
    "最大料金のしくみ",
    "「24時間最大」と「当日最大」の違いを説明します。",
    "# 最大料金のしくみ\n\n**24時間最大**は入庫から数えます。**当日最大**は日付が変わると数え直します。\n",
    ["料金"],
    "2026-08-20T09:00:00+09:00",
  ],
  [
    "how-maximum-fees-work",
    "en",
    "How maximum fees work",
    "The difference between a 24-hour maximum and a daily one.",
    "# How maximum fees work\n\nA **24-hour maximum** counts from entry. A **daily maximum** starts again at midnight.\n",
    ["fees"],
    "2026-08-20T09:00:00+09:00",
  ],
  [
    "high-roof-cars",
    "ja",
    "ハイルーフ車の駐車場の探し方",
    "高さ制限のある機械式駐車場で困らないために。",
    "# ハイルーフ車の駐車場の探し方\n\n車両を登録すると、入れない駐車場には理由が表示されます。\n",
    ["車両"],
    "2026-08-27T09:00:00+09:00",
  ],
] as const;

const ADS = [
  ["home_top", "秋の週末は早めの予約を", "人気の駐車場は午前中に埋まります。", 300],
  ["home_top", "プレミアムで歩く時間も計算", "目的地までの徒歩を料金に換算します。", 100],
  ["map", "近くのスポンサー店でチェックイン", "経験値がもらえます。", 100],
  ["search_results", "EV充電のある駐車場が増えました", null, 100],
  ["lot_detail", "洗車サービス受付中", "駐車中に洗車できます。", 50],
  ["session_end", "レビューで経験値を獲得", "次の人の役に立つ一言をお寄せください。", 100],
  ["article", "料金のしくみを読む", null, 100],
] as const;

export function referenceSql(): string {
  return [
    "-- Plans, articles and advertisements.",
    insert(
      "public.subscription_plans",
      [...Object.keys(PLANS[0]!), "features", "features_en"],
      PLANS.map((plan) => [...Object.values(plan), { json: FEATURES }, { json: FEATURES_EN }]),
    ),
    insert("public.articles", ["slug", "locale", "title", "summary", "body", "tags", "published_at"], ARTICLES),
    insert(
      "public.ads",
      ["placement", "title", "body", "weight", "link_url", "starts_at"],
      ADS.map((ad) => [...ad, "https://example.com/", "2026-01-01T00:00:00+09:00"]),
    ),
  ].join("\n");
}

// Shops to find and to check in at, invented, near the stations that the lots lie around.
import { insert } from "./sql.ts";

const COLUMNS = [
  "name",
  "description",
  "category",
  "address",
  "lat",
  "lng",
  "opening_hours",
  "checkin_radius_m",
  "sort_order",
];

function daily(weekdays: readonly number[], opens: string, closes: string) {
  return weekdays.map((weekday) => ({ weekday, opens, closes }));
}

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const WEEKDAYS = EVERY_DAY.slice(0, 5);

const SPONSORS = [
  [
    "喫茶ひだまり 丸の内店",
    "チェックインで経験値がもらえます。",
    "cafe",
    "東京都千代田区丸の内1丁目",
    35.6829,
    139.7646,
    { json: daily(WEEKDAYS, "07:30", "20:00") },
    100,
    10,
  ],
  [
    "つばめ洗車 大手町",
    "待ち時間の少ない手洗い洗車です。",
    "car_wash",
    "東京都千代田区大手町1丁目",
    35.6866,
    139.7655,
    { json: daily(EVERY_DAY, "09:00", "19:00") },
    150,
    20,
  ],
  [
    "深夜食堂みなと 渋谷",
    null,
    "restaurant",
    "東京都渋谷区道玄坂",
    35.6581,
    139.6989,
    { json: daily(EVERY_DAY, "18:00", "02:00") },
    100,
    30,
  ],
  ["横浜タイヤ工房", null, "service", "神奈川県横浜市西区", 35.4659, 139.6226, null, 200, 40],
] as const;

export function sponsorsSql(): string {
  return insert("public.sponsors", COLUMNS, SPONSORS);
}

// The readings of names in Latin letters.
import { strict as assert } from "node:assert";
import { reading } from "../../apps/web/src/pages/lot/reading.ts";

const READINGS = [
  ["チヨダエキマエ チュウシャジョウ", "Chiyodaekimae Chushajo"],
  ["とうきょう", "Tokyo"],
  ["おおさか", "Osaka"],
  ["コインパーキング", "Koinpakingu"],
  ["シンジュク24パーク", "Shinjuku24paku"],
  ["ﾆｯﾎﾟﾝ", "Nippon"],
  ["キョウト第2", "Kyoto第2"],
  ["Times", "Times"],
  ["", ""],
] as const;

for (const [kana, expected] of READINGS) {
  Deno.test(`reading: ${kana || "nothing"} is ${expected || "nothing"}`, () => assert.equal(reading(kana), expected));
}

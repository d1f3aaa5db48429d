// Many writes of one caller at once, through HTTP: the quota passes, not one more and not one less.
import assert from "node:assert/strict";
import { signUp } from "../support/people.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";

const BEYOND = 40;
/** Of the hundred requests that a function takes at once: other tests send theirs to the same one. */
const AT_ONCE = 40;

Deno.test(`rate limits: of a caller's quota and ${BEYOND} more, ${AT_ONCE} at once, exactly the quota passes`, async () => {
  const user = await signUp();
  const [policy] = await inDatabase((sql) =>
    sql<{ quota: number }[]>`select quota from private.rate_limit_policies where name = 'write'`
  );
  const quota = policy!.quota;
  const answers: Response[] = [];
  let waiting = quota + BEYOND;
  const send = async () => {
    while (waiting-- > 0) {
      const answer = await ask("/me", { method: "PATCH", ...jsonBody({ display_name: "駐車" }, bearer(user.token)) });
      await answer.body?.cancel();
      answers.push(answer);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  const withStatus = (status: number) => answers.filter((answer) => answer.status === status);
  assert.deepEqual([withStatus(200).length, withStatus(429).length], [quota, BEYOND]);
  const left = withStatus(200).map((answer) => Number(/;r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]));
  assert.deepEqual(left.sort((a, b) => a - b), Array.from({ length: quota }, (_, n) => n));
  for (const answer of withStatus(429)) assert.ok(Number(answer.headers.get("retry-after")) >= 1);
});

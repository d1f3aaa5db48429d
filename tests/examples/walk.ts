// A walk through the service that uses every operation once: the source of the examples of the contract.
import assert from "node:assert/strict";
import type { Person } from "../support/people.ts";
import { signUp } from "../support/people.ts";
import { inDatabase } from "../api/lots.ts";
import { walkAfterwards, walkAsUser } from "./app_walk.ts";
import {
  walkAdministrators,
  walkContent,
  walkLots,
  walkQueues,
  walkRewards,
  walkStores,
  walkUsers,
} from "./console_walk.ts";
import { Recorder } from "./recorder.ts";

export interface Cast {
  readonly admin: Person;
  readonly colleague: Person;
  readonly user: Person;
  readonly friend: Person;
  readonly leaver: Person;
  readonly misbehaved: Person;
  readonly gone: Person;
}

interface Offset {
  readonly days?: number;
  readonly minutes?: number;
}

export interface Walk {
  readonly send: Recorder["send"];
  readonly chapter: () => void;
  /** A time relative to now. */
  readonly at: (offset: Offset) => string;
}

export interface Walked {
  readonly recorder: Recorder;
  /** The e-mail addresses of the people, as examples show them. */
  readonly emails: ReadonlyMap<string, string>;
  /** The times that the walk computed: so many milliseconds from the next request on. */
  readonly times: ReadonlyMap<number, { readonly step: number; readonly offset: number }>;
}

/** Uses every operation. It needs a new platform of its own, because it starts jobs and consumers of the whole service. */
export async function walk(): Promise<Walked> {
  const areas =
    (await inDatabase((sql) => sql<{ areas: string[] }[]>`select private.admin_areas() as areas`))[0]!.areas;
  const administrator = (name: string, ...areas: string[]) => signUp({ appMetadata: { admin: { name, areas } } });
  const cast: Cast = {
    admin: await administrator("佐藤 恵", ...areas),
    colleague: await administrator("高橋 翔", "support"),
    user: await signUp({ displayName: "山田 花子" }),
    friend: await signUp({ displayName: "田中 太郎" }),
    leaver: await signUp({ displayName: "伊藤 葵" }),
    misbehaved: await signUp({ displayName: "渡辺 蓮" }),
    gone: await signUp({ displayName: "中村 結" }),
  };
  const emails = new Map(Object.entries(cast).map(([name, { email }]) => [email, `${name}@example.com`]));
  const times = new Map<number, { step: number; offset: number }>();
  const recorder = new Recorder();
  const tools: Walk = {
    send: (name, sent) => recorder.send(name, sent),
    chapter: () => recorder.chapter(),
    at: ({ days = 0, minutes = 0 }) => {
      const offset = (days * 1440 + minutes) * 60_000;
      const second = Math.floor(Date.now() / 1000) * 1000;
      // Not a full minute: normalise.ts takes those for times of a calendar.
      const time = (second % 60_000 === 0 ? second + 1000 : second) + offset;
      times.set(time, { step: recorder.exchanges.length, offset });
      return new Date(time).toISOString().replace(".000Z", "Z");
    },
  };
  const done = await walkAsUser(tools, cast);
  await walkQueues(tools, cast, done);
  await walkContent(tools, cast);
  await walkLots(tools, cast);
  await walkRewards(tools, cast);
  await walkUsers(tools, cast);
  await walkStores(tools, cast, done);
  await walkAdministrators(tools, cast);
  await walkAfterwards(tools, cast);
  assert.deepEqual(recorder.missing(), [], "operations that the walk does not use: add them to tests/examples");
  return { recorder, emails, times };
}

// A random history of clients that come, join, shout, are present, leave and vanish, held against a model of who is where.
import { strict as assert } from "node:assert";
import { chance } from "../support/random.ts";
import { eventually } from "../support/eventually.ts";
import { type WireClient, type WireFrame, withServer } from "../support/realtime_server.ts";

const ACTS = 600;
const CLIENTS = 12;
const TOPICS = ["realtime:a", "realtime:b", "realtime:c"];
const CONFIG = { broadcast: { ack: true }, presence: { enabled: true }, postgres_changes: [{ event: "*" }] };
const BOUNDLESS = { eventsPerSecond: 1e6, bytesPerSecond: 1e9, joinsPerSecond: 1e6, presenceCalls: 1e6 };

interface Person {
  wire: WireClient;
  readonly name: string;
  /** The ref of each join that stands. */
  readonly joined: Map<string, string>;
  /** What it tracks, by topic. */
  readonly tracked: Map<string, number>;
  /** The broadcasts that it has to hear, by topic. */
  readonly owed: string[];
}

Deno.test("whatever clients do, each member hears each broadcast once, and everybody sees who is there", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${seed}`);
  const random = chance(seed);
  await withServer(async ({ connect, feed }) => {
    const people: Person[] = [];
    for (let n = 0; n < CLIENTS; n++) {
      const wire = await connect();
      people.push({ wire, name: `p${n}`, joined: new Map(), tracked: new Map(), owed: [] });
    }
    let ref = 0;

    const join = async (person: Person, topic: string) => {
      const joinRef = `j${++ref}`;
      person.tracked.delete(topic); // joining a joined topic closes the old channel
      await person.wire.join(topic, { ...CONFIG, presence: { enabled: true, key: person.name } }, joinRef);
      person.joined.set(topic, joinRef);
    };
    const push = async (person: Person, topic: string, event: string, payload: unknown) => {
      const own = `r${++ref}`;
      person.wire.send([person.joined.get(topic), own, topic, event, payload]);
      return (await person.wire.reply(own)).status;
    };
    const forget = (person: Person, topic: string) => {
      person.joined.delete(topic);
      person.tracked.delete(topic);
    };

    for (let act = 0; act < ACTS; act++) {
      const person = random.pick(people);
      const topic = random.pick(TOPICS);
      const isMember = person.joined.has(topic);
      const what = random.below(100);
      if (what < 25) await join(person, topic);
      else if (what < 40 && isMember) {
        assert.equal(await push(person, topic, "phx_leave", {}), "ok");
        forget(person, topic);
      } else if (what < 65 && isMember) {
        const payload = { type: "broadcast", event: "act", payload: { act } };
        assert.equal(await push(person, topic, "broadcast", payload), "ok");
        for (const other of people) {
          if (other !== person && other.joined.has(topic)) other.owed.push(`${topic} ${act}`);
        }
      } else if (what < 85 && isMember) {
        assert.equal(await push(person, topic, "presence", { event: "track", payload: { act } }), "ok");
        person.tracked.set(topic, act);
      } else if (what < 92 && isMember) {
        assert.equal(await push(person, topic, "presence", { event: "untrack" }), "ok");
        person.tracked.delete(topic);
      } else if (what < 94) {
        await hasHeard(person);
        const before = feed.subscribed.size - person.joined.size;
        person.wire.socket.close();
        await person.wire.end();
        await eventually(() => feed.subscribed.size === before || undefined);
        person.wire = await connect();
        for (const left of TOPICS) forget(person, left);
        person.owed.length = 0;
      } else if (!isMember) {
        assert.equal(await push(person, topic, "broadcast", { type: "broadcast", event: "x", payload: {} }), "error");
      }
      // Its subscription is stored in the same breath; the next act is to find it so.
      await person.wire.settled();
    }

    for (const person of people) await hasHeard(person);
    for (const topic of TOPICS) {
      const late = await connect();
      await late.join(topic, CONFIG);
      const [, , , , state] = await late.frame((frame) => frame[3] === "presence_state");
      const present = Object.entries<WireFrame[4]>(state).map(([key, { metas }]) => [key, metas.length, metas[0].act]);
      const expected = people.filter(({ tracked }) => tracked.has(topic)).map((
        one,
      ) => [one.name, 1, one.tracked.get(topic)]);
      assert.deepEqual(present.sort(), expected.sort());
      // What the others have been told of comings and goings adds up to the same.
      for (const member of people.filter(({ joined }) => joined.has(topic))) {
        await member.wire.settled();
        assert.deepEqual(
          followed(member.wire, topic, member.joined.get(topic)!),
          new Set(expected.map(([key]) => key)),
        );
      }
      late.socket.close();
      await late.end();
    }
    for (const person of people) person.wire.socket.close();
    await eventually(() => feed.subscribed.size === 0 || undefined);
  }, BOUNDLESS);
});

async function hasHeard({ wire, owed }: Person): Promise<void> {
  await wire.settled();
  const heard = wire.frames.filter(([, , , event]) => event === "broadcast");
  assert.deepEqual(heard.map(([, , topic, , { payload }]) => `${topic} ${payload.act}`), owed);
}

/** Who is there, by the state that came with a join and the differences since. */
function followed(wire: WireClient, topic: string, joinRef: string): Set<string> {
  const frames = wire.frames.filter((frame) => frame[2] === topic);
  const from = frames.findIndex((frame) => frame[0] === joinRef && frame[3] === "presence_state");
  const metas = new Map<string, Set<string>>();
  const refs = (entries: Record<string, { metas: { phx_ref: string }[] }>) =>
    Object.entries(entries).map(([key, { metas }]) => [key, metas.map(({ phx_ref }) => phx_ref)] as const);
  const add = (key: string, added: string[]) => metas.set(key, new Set([...metas.get(key) ?? [], ...added]));
  for (const [key, added] of refs(frames[from]![4])) add(key, added);
  for (const [, , , event, payload] of frames.slice(from + 1)) {
    if (event !== "presence_diff") continue;
    for (const [key, added] of refs(payload.joins)) add(key, added);
    for (const [key, gone] of refs(payload.leaves)) for (const ref of gone) metas.get(key)?.delete(ref);
  }
  return new Set([...metas].filter(([, left]) => left.size > 0).map(([key]) => key));
}

// Topics and their members. A public and a private topic of one name are two topics.
import { Buffer } from "node:buffer";
import { encode, encodeUserBroadcast, UserBroadcast } from "./serializer.ts";
import type { Version } from "./serializer.ts";
import { type Diff, Presence } from "./presence.ts";

export interface Member {
  readonly version: Version;
  /** Whether it hears who comes and goes. */
  readonly hearsPresence: boolean;
  /** Bytes may be those of a text, too: what goes to many is encoded once and held once. */
  send(frame: string | Uint8Array, isBinary?: boolean): void;
}

/** What is broadcast: the payload of a text frame as the client made it, or what came in a binary frame. */
export type Broadcast = Record<string, unknown> | UserBroadcast;

interface Encoded {
  readonly bytes: Uint8Array;
  readonly isBinary: boolean;
}

export class Topic {
  readonly members = new Set<Member>();
  readonly presence = new Presence<Member>();

  constructor(readonly name: string) {}

  broadcast(message: Broadcast, sender?: Member): void {
    const frame = { joinRef: null, ref: null, topic: this.name, event: "broadcast" };
    const made = new Map<Version, Encoded | undefined>();
    for (const member of this.members) {
      if (member === sender) continue;
      if (!made.has(member.version)) made.set(member.version, encodeFor(member.version));
      const encoded = made.get(member.version);
      if (encoded !== undefined) member.send(encoded.bytes, encoded.isBinary);
    }

    function encodeFor(version: Version): Encoded | undefined {
      if (message instanceof UserBroadcast && version === 2) {
        const bytes = encodeUserBroadcast(frame.topic, message);
        if (bytes !== undefined) return { bytes, isBinary: true };
      }
      const payload = message instanceof UserBroadcast ? message.message : message;
      if (payload === undefined) return undefined;
      return { bytes: Buffer.from(encode(version, frame, JSON.stringify(payload))), isBinary: false };
    }
  }

  /** Tells those who listen who came and who went. */
  announce(diff: Diff): void {
    const payload = JSON.stringify(diff);
    const frame = { joinRef: null, ref: null, topic: this.name, event: "presence_diff" };
    for (const member of this.members) {
      if (member.hearsPresence) member.send(encode(member.version, frame, payload));
    }
  }
}

export class Topics {
  readonly #topics = { open: new Map<string, Topic>(), private: new Map<string, Topic>() };

  find(name: string, isPrivate: boolean): Topic | undefined {
    return this.#of(isPrivate).get(name);
  }

  enter(name: string, isPrivate: boolean, member: Member): Topic {
    const topics = this.#of(isPrivate);
    const topic = topics.get(name) ?? new Topic(name);
    topics.set(name, topic);
    topic.members.add(member);
    return topic;
  }

  /** A topic without members is forgotten. */
  leave(topic: Topic, isPrivate: boolean, member: Member): void {
    topic.members.delete(member);
    const diff = topic.presence.untrack(member);
    if (diff !== undefined) topic.announce(diff);
    const topics = this.#of(isPrivate);
    if (topic.members.size === 0 && topics.get(topic.name) === topic) topics.delete(topic.name);
  }

  #of(isPrivate: boolean): Map<string, Topic> {
    return isPrivate ? this.#topics.private : this.#topics.open;
  }
}

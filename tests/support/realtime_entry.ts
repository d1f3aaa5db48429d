// A realtime server's process whose feed needs no database: every subscriber gets a change ten times a second.
import { serve } from "../../local/realtime/serve.ts";
import { insertion, TestFeed } from "./realtime_server.ts";

const feed = new TestFeed();
let made = 0;
setInterval(() => feed.change(insertion({ n: made++, pid: Deno.pid, text: "x".repeat(100_000) })), 100);
await serve(() => feed);

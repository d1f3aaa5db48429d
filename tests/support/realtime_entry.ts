// A process of the realtime server whose feed needs no database: every subscriber receives ten changes a second.
import { serve } from "../../local/realtime/main.ts";
import { insertion, TestFeed } from "./realtime_server.ts";

const feed = new TestFeed();
let made = 0;
setInterval(() => feed.change(insertion({ n: made++, pid: Deno.pid, text: "x".repeat(100_000) })), 100);
await serve(() => feed);

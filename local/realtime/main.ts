// The realtime server's process.
import { surviveDriverFaults } from "../database/driver_fault.ts";
import { PostgresFeed } from "./feed.ts";
import { serve } from "./serve.ts";

await serve((url, log) => {
  surviveDriverFaults(log);
  return new PostgresFeed({ url, log });
});

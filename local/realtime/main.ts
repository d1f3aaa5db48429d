// The realtime server's process.
import { surviveDriverFaults } from "../../postgres_client/driver_faults.ts";
import { PostgresFeed } from "./feed.ts";
import { serve } from "./serve.ts";

await serve((url, log) => {
  surviveDriverFaults(log);
  return new PostgresFeed({ url, log });
});

/** The time of the service, once a second. */
import { useEffect, useState } from "preact/hooks";
import { serviceNow } from "../service_time.ts";

/** Milliseconds since 1970, new every second. */
export function useNow(): number {
  const [now, setNow] = useState(serviceNow());
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

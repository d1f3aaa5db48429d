/** The time, once a second. */
import { useEffect, useState } from "preact/hooks";

/** Milliseconds since 1970, new every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/// <reference lib="dom" />
import { useEffect, useState } from "preact/hooks";

/** Whether a media query matches now. */
export function useMedia(condition: string): boolean {
  const query = matchMedia(condition);
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const update = () => setMatches(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return matches;
}

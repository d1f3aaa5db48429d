/** Reads again at intervals, for as long as something is in progress. */
import { useEffect } from "preact/hooks";

export function usePoll(reload: () => void, isInProgress: boolean, intervalMs = 2_000): void {
  useEffect(() => {
    if (!isInProgress) return;
    const timer = setInterval(reload, intervalMs);
    return () => clearInterval(timer);
  }, [isInProgress]);
}

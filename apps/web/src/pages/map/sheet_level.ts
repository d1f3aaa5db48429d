/** The heights of the sheet over the map. */

/** From the lowest to the highest. */
export const LEVELS = ["low", "half", "full"] as const;
export type Level = (typeof LEVELS)[number];

/** A flick of this speed goes on to the next height, in pixels a millisecond. */
const FLICK = 0.4;

/** The height to which a sheet goes that was let go: the nearest, or the next in the direction of a flick. */
export function levelOf(height: number, heights: Readonly<Record<Level, number>>, speed: number): Level {
  const next = speed > FLICK
    ? LEVELS.find((level) => heights[level] >= height)
    : speed < -FLICK
    ? LEVELS.findLast((level) => heights[level] <= height)
    : undefined;
  const away = (level: Level) => Math.abs(heights[level] - height);
  return next ?? LEVELS.reduce((nearest, level) => away(level) < away(nearest) ? level : nearest);
}

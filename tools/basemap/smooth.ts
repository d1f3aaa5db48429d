// Lines through points as curves (centripetal Catmull-Rom).
import type { Position } from "./shapes.ts";

const PARTS = 6;

/** Joins pieces that meet, and makes curves of them. Where three pieces meet, each ends. */
export function smooth(pieces: readonly (readonly Position[])[]): Position[][] {
  return pieces.map((line) => line.length < 3 ? [...line] : curve(line));
}

function curve(line: readonly Position[]): Position[] {
  const points: Position[] = [line[0]!];
  for (let at = 0; at + 1 < line.length; at++) {
    const [from, to] = [line[at]!, line[at + 1]!];
    const before = line[at - 1] ?? mirrored(from, to);
    const after = line[at + 2] ?? mirrored(to, from);
    for (let part = 1; part < PARTS; part++) points.push(between(before, from, to, after, part / PARTS));
    points.push(to);
  }
  return points;
}

const mirrored = ([x, y]: Position, [x2, y2]: Position): Position => [2 * x - x2, 2 * y - y2];

/** The point at a part of the way from `b` to `c`. */
function between(a: Position, b: Position, c: Position, d: Position, part: number): Position {
  const step = (p: Position, q: Position) => Math.max(1e-9, Math.sqrt(Math.hypot(q[0] - p[0], q[1] - p[1])));
  const [t1, t2, t3] = [step(a, b), step(a, b) + step(b, c), step(a, b) + step(b, c) + step(c, d)];
  const t = t1 + part * (t2 - t1);
  const mix = (p: Position, q: Position, from: number, to: number): Position => {
    const share = (t - from) / (to - from);
    return [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])];
  };
  const [ab, bc, cd] = [mix(a, b, 0, t1), mix(b, c, t1, t2), mix(c, d, t2, t3)];
  return mix(mix(ab, bc, 0, t2), mix(bc, cd, t1, t3), t1, t2);
}

/** Where the parts of a small map lie: tiles, points on the drawing, and names that do not touch. */

export interface View {
  readonly lat: number;
  readonly lng: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/** The pixels of the whole world at zoom 0, as MapLibre counts zooms. */
const WORLD = 512;

/** A point of the world from 0 to 1, by Mercator's projection. */
function worldOf(lat: number, lng: number): [x: number, y: number] {
  const sine = Math.sin(lat * Math.PI / 180);
  return [lng / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

export interface TileId {
  readonly x: number;
  readonly y: number;
}

/** The tiles of a zoom that the view shows. */
export function tilesOf(view: View, tileZoom: number): TileId[] {
  const [x, y] = worldOf(view.lat, view.lng);
  const count = 2 ** tileZoom;
  const size = WORLD * 2 ** view.zoom / count;
  const range = (center: number, pixels: number) => {
    const half = pixels / 2 / size;
    const first = Math.max(0, Math.floor(center * count - half));
    const last = Math.min(count - 1, Math.floor(center * count + half));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  };
  return range(x, view.width).flatMap((x) => range(y, view.height).map((y) => ({ x, y })));
}

/** The point of the drawing for a point of a tile. */
export function projectionOf(view: View, tileZoom: number, tile: TileId, extent: number) {
  const [centerX, centerY] = worldOf(view.lat, view.lng);
  const size = WORLD * 2 ** view.zoom;
  const count = 2 ** tileZoom;
  return ({ x, y }: { readonly x: number; readonly y: number }): [x: number, y: number] => [
    round(((tile.x + x / extent) / count - centerX) * size + view.width / 2),
    round(((tile.y + y / extent) / count - centerY) * size + view.height / 2),
  ];
}

const round = (value: number) => Math.round(value * 10) / 10;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface NamedPoint {
  readonly x: number;
  readonly y: number;
  readonly name: string;
}

export interface PlacedName extends NamedPoint {
  readonly side: "left" | "right";
}

/** About the width of a text of 12 pixels. */
const widthOf = (text: string) =>
  [...text].reduce((sum, letter) => sum + (letter.charCodeAt(0) > 0x2e7f ? 12 : 6.8), 0);

const touches = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The points whose names have room, the first ones first, at the right of the point or at its left. */
export function placeNames(points: readonly NamedPoint[], view: View, taken: readonly Box[]): PlacedName[] {
  const boxes = [...taken];
  const placed: PlacedName[] = [];
  for (const point of points) {
    const width = widthOf(point.name) + 14;
    for (const side of ["right", "left"] as const) {
      const box = { x: side === "right" ? point.x - 6 : point.x + 6 - width, y: point.y - 9, width, height: 18 };
      const isInside = box.x >= 2 && box.x + width <= view.width - 2 && box.y >= 2 && box.y + 18 <= view.height - 2;
      if (!isInside || boxes.some((other) => touches(other, box))) continue;
      boxes.push(box);
      placed.push({ ...point, side });
      break;
    }
  }
  return placed;
}

/// <reference lib="dom" />
/** The small pictures of the base map, drawn on a canvas when a map first needs them. No picture is fetched. */
import type { Map as MapLibre } from "maplibre-gl";
import { IMAGES } from "./base_layers.ts";
import { type MapColors, mapColors } from "./map_colors.ts";

/** Around a picture, for its shadow and its stroke. */
const MARGIN = 3;

export interface Picture {
  readonly width: number;
  readonly height: number;
  draw(context: CanvasRenderingContext2D, colors: MapColors): void;
}

/** Gives the map a picture that it lacks. */
export function addPicture(map: MapLibre, id: string, picture: Picture): void {
  if (map.hasImage(id)) return;
  const ratio = Math.max(1, devicePixelRatio);
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((picture.width + 2 * MARGIN) * ratio);
  canvas.height = Math.ceil((picture.height + 2 * MARGIN) * ratio);
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.scale(ratio, ratio);
  context.translate(MARGIN, MARGIN);
  picture.draw(context, mapColors());
  map.addImage(id, context.getImageData(0, 0, canvas.width, canvas.height), { pixelRatio: ratio });
}

/** Draws a missing picture of the base map; other names are left alone. */
export function addBaseImage(map: MapLibre, id: string): void {
  const picture = pictureOf(id);
  if (picture !== undefined) addPicture(map, id, picture);
}

function pictureOf(id: string): Picture | undefined {
  switch (id) {
    case IMAGES.station:
      return square(7);
    case IMAGES.bigStation:
      return square(9);
    case IMAGES.tree:
      return disc(7, "map-tree");
    case IMAGES.dot:
      return disc(4, "ink-3");
    case IMAGES.interchange:
      return disc(5, "map-express-edge");
  }
}

function square(size: number): Picture {
  return {
    width: size,
    height: size,
    draw(context, colors) {
      context.fillStyle = colors["surface"];
      context.strokeStyle = colors["ink-3"];
      context.lineWidth = 1.25;
      context.fillRect(0, 0, size, size);
      context.strokeRect(0.625, 0.625, size - 1.25, size - 1.25);
    },
  };
}

function disc(size: number, color: keyof MapColors): Picture {
  return {
    width: size,
    height: size,
    draw(context, colors) {
      context.fillStyle = colors[color];
      context.beginPath();
      context.arc(size / 2, size / 2, size / 2, 0, 2 * Math.PI);
      context.fill();
    },
  };
}

/// <reference lib="dom" />
/** The pictures of pins, drawn on a canvas when the map first needs them. No picture is fetched. */
import type { Map as MapLibre } from "maplibre-gl";
import { addBaseImage, addPicture, type Picture } from "../../base_map/base_images.ts";
import type { MapColors } from "../../base_map/map_colors.ts";
import { CHOSEN, PIN } from "./pins.ts";

/** Pictures of pins, by what they show. */
export type PinImage =
  | readonly ["usable" | "best" | "unknown" | "chosen", label: string]
  | readonly ["group", label: string, count: string]
  | readonly ["count", count: string]
  | readonly ["cross" | "dot" | "ring"];

const PIN_PREFIX = "pin:";
const FONT = 'system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif';

export function imageId(image: PinImage): string {
  return `${PIN_PREFIX}${JSON.stringify(image)}`;
}

type Context = CanvasRenderingContext2D;

/** Draws the missing picture; names that are not of this map are left alone. */
export function addImage(map: MapLibre, id: string): void {
  if (id.startsWith(PIN_PREFIX)) addPicture(map, id, pinPicture(JSON.parse(id.slice(PIN_PREFIX.length))));
  else addBaseImage(map, id);
}

function pinPicture(
  [kind, label = "", count = ""]: readonly [kind: PinImage[0], label?: string, count?: string],
): Picture {
  switch (kind) {
    case "cross":
      return crossPicture();
    case "dot":
      return ringPicture(PIN.dot, 2, "ink-3");
    case "ring":
      return ringPicture(18, 4, "brand");
    case "count":
      return countPicture(label);
    default:
      return pillPicture(kind, label, count);
  }
}

const texts = new Map<string, number>();

/** The width of a text; the currency sign is smaller than the figure. */
function textWidth(text: string, size: number, weight = 600): number {
  const key = `${size} ${text}`;
  let width = texts.get(key);
  if (width === undefined) {
    measure ??= document.createElement("canvas").getContext("2d")!;
    width = partsOf(text, size).reduce((sum, [part, px]) => {
      measure!.font = `${weight} ${px}px ${FONT}`;
      return sum + measure!.measureText(part).width;
    }, 0);
    texts.set(key, width);
  }
  return width;
}

let measure: Context | undefined;

/** The parts of a text with their sizes. */
function partsOf(text: string, size: number): [part: string, px: number][] {
  const [, before, sign, after] = text.match(/^(.*?)([¥￥$€£]|CHF\s?)(\d.*)$/) ?? [];
  if (sign === undefined) return [[text, size]];
  return ([[before!, size], [sign, size * 0.85], [after!, size]] as [string, number][]).filter(([part]) => part !== "");
}

function drawText(context: Context, text: string, size: number, x: number, y: number): void {
  context.textBaseline = "alphabetic";
  let at = x;
  for (const [part, px] of partsOf(text, size)) {
    context.font = `600 ${px}px ${FONT}`;
    context.fillText(part, at, y + size * 0.36);
    at += context.measureText(part).width;
  }
}

/** The width of a pin. */
export function pinWidth(label: string, count?: string): number {
  if (count === undefined) return Math.max(PIN.height, Math.ceil(textWidth(label, 14)) + 2 * PIN.padding);
  return Math.ceil(textWidth(label, 12)) + countWidth(count) + 3 + 6 + PIN.padding;
}

const countWidth = (count: string) => Math.max(PIN.count, Math.ceil(textWidth(count, 12)) + 8);

function pillPicture(kind: "usable" | "best" | "unknown" | "chosen" | "group", label: string, count: string): Picture {
  const isChosen = kind === "chosen";
  const { height, tip, padding } = isChosen ? CHOSEN : PIN;
  const size = isChosen ? 16 : 14;
  const width = isChosen
    ? Math.max(height, Math.ceil(textWidth(label, size)) + 2 * padding)
    : pinWidth(label, kind === "group" ? count : undefined);
  return {
    width,
    height: height + tip,
    draw(context, colors) {
      const [fill, edge, ink] = ({
        usable: ["price", "map-pin-edge", "ink"],
        best: ["brand", "brand", "on-brand"],
        unknown: ["surface", "ink-3", "ink-2"],
        chosen: ["ink", "ink", "ground"],
        group: ["price", "map-pin-edge", "ink-2"],
      } as const)[kind];
      pillPath(context, width, height, tip);
      context.fillStyle = colors[fill];
      context.save();
      context.shadowColor = colors["map-shadow"];
      context.shadowBlur = 2 * Math.max(1, devicePixelRatio);
      context.shadowOffsetY = Math.max(1, devicePixelRatio);
      context.fill();
      context.restore();
      context.strokeStyle = colors[edge];
      context.lineWidth = kind === "unknown" ? 1.5 : 1;
      if (kind === "unknown") context.setLineDash([3, 2.5]);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = colors[ink];
      if (kind !== "group") return drawText(context, label, size, (width - textWidth(label, size)) / 2, height / 2);
      const circle = countWidth(count);
      context.beginPath();
      context.roundRect(4, 4, circle, PIN.count, PIN.count / 2);
      context.fill();
      drawText(context, label, 12, 4 + circle + 6, height / 2);
      context.fillStyle = colors["surface"];
      drawText(context, count, 12, 4 + (circle - textWidth(count, 12)) / 2, height / 2);
    },
  };
}

/** A pill with a tip in the middle below. */
function pillPath(context: Context, width: number, height: number, tip: number): void {
  const [radius, middle] = [height / 2, width / 2];
  context.beginPath();
  context.moveTo(radius, 0);
  context.arcTo(width, 0, width, radius, radius);
  context.arcTo(width, height, middle + tip, height, radius);
  context.lineTo(middle + tip, height);
  context.lineTo(middle, height + tip);
  context.lineTo(middle - tip, height);
  context.arcTo(0, height, 0, radius, radius);
  context.arcTo(0, 0, radius, 0, radius);
  context.closePath();
}

function ringPicture(size: number, stroke: number, color: keyof MapColors): Picture {
  return {
    width: size,
    height: size,
    draw(context, colors) {
      context.beginPath();
      context.arc(size / 2, size / 2, (size - stroke) / 2, 0, 2 * Math.PI);
      context.fillStyle = colors["surface"];
      context.fill();
      context.strokeStyle = colors[color];
      context.lineWidth = stroke;
      context.stroke();
    },
  };
}

function crossPicture(): Picture {
  const size = PIN.cross;
  return {
    width: size,
    height: size,
    draw(context, colors) {
      context.beginPath();
      context.arc(size / 2, size / 2, size / 2 - 0.5, 0, 2 * Math.PI);
      context.fillStyle = colors["ground"];
      context.fill();
      context.strokeStyle = colors["map-pin-edge"];
      context.lineWidth = 1;
      context.stroke();
      context.beginPath();
      for (const [x1, y1, x2, y2] of [[7, 7, 13, 13], [13, 7, 7, 13]] as const) {
        context.moveTo(x1, y1);
        context.lineTo(x2, y2);
      }
      context.strokeStyle = colors["ink-3"];
      context.lineWidth = 1.5;
      context.lineCap = "round";
      context.stroke();
    },
  };
}

/** The count of a group without a price, or without room for it. */
function countPicture(count: string): Picture {
  const width = countWidth(count) + 4;
  return {
    width,
    height: PIN.count + 4,
    draw(context, colors) {
      context.beginPath();
      context.roundRect(0, 0, width, PIN.count + 4, (PIN.count + 4) / 2);
      context.fillStyle = colors["price"];
      context.fill();
      context.strokeStyle = colors["map-pin-edge"];
      context.stroke();
      context.beginPath();
      context.roundRect(2, 2, width - 4, PIN.count, PIN.count / 2);
      context.fillStyle = colors["ink-2"];
      context.fill();
      context.fillStyle = colors["surface"];
      drawText(context, count, 12, (width - textWidth(count, 12)) / 2, (PIN.count + 4) / 2);
    },
  };
}

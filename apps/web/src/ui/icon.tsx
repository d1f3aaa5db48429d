/** Icons of one family, Lucide. A word stands beside each, or its button has a name. */
import ArrowLeft from "lucide/dist/esm/icons/arrow-left.mjs";
import Bell from "lucide/dist/esm/icons/bell.mjs";
import Check from "lucide/dist/esm/icons/check.mjs";
import ChevronDown from "lucide/dist/esm/icons/chevron-down.mjs";
import ChevronRight from "lucide/dist/esm/icons/chevron-right.mjs";
import ChevronUp from "lucide/dist/esm/icons/chevron-up.mjs";
import CarFront from "lucide/dist/esm/icons/car-front.mjs";
import Heart from "lucide/dist/esm/icons/heart.mjs";
import Landmark from "lucide/dist/esm/icons/landmark.mjs";
import LocateFixed from "lucide/dist/esm/icons/locate-fixed.mjs";
import MapPin from "lucide/dist/esm/icons/map-pin.mjs";
import MessageCircle from "lucide/dist/esm/icons/message-circle.mjs";
import SearchGlass from "lucide/dist/esm/icons/search.mjs";
import SlidersHorizontal from "lucide/dist/esm/icons/sliders-horizontal.mjs";
import Star from "lucide/dist/esm/icons/star.mjs";
import Timer from "lucide/dist/esm/icons/timer.mjs";
import TrainFront from "lucide/dist/esm/icons/train-front.mjs";
import TriangleAlert from "lucide/dist/esm/icons/triangle-alert.mjs";
import UserRound from "lucide/dist/esm/icons/user-round.mjs";
import X from "lucide/dist/esm/icons/x.mjs";

type Shape = readonly [element: "path" | "circle" | "rect" | "line", attributes: Readonly<Record<string, string>>];

const ICONS = {
  back: ArrowLeft,
  check: Check,
  close: X,
  down: ChevronDown,
  filters: SlidersHorizontal,
  find: MapPin,
  inbox: Bell,
  landmark: Landmark,
  locate: LocateFixed,
  lot: CarFront,
  me: UserRound,
  parked: Timer,
  place: MapPin,
  right: ChevronRight,
  save: Heart,
  search: SearchGlass,
  sentence: MessageCircle,
  star: Star,
  station: TrainFront,
  up: ChevronUp,
  warning: TriangleAlert,
} as const satisfies Readonly<Record<string, unknown>>;

export type IconName = keyof typeof ICONS;

export function Icon({ name, size = 20 }: { name: IconName; size?: 16 | 20 | 24 }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      {(ICONS[name] as readonly Shape[]).map(([Element, attributes], index) => <Element key={index} {...attributes} />)}
    </svg>
  );
}

/// <reference lib="dom" />
/** What stands on the map as elements: the pin of the search, and the lots of the list with their prices. */
import { useEffect, useRef } from "preact/hooks";
import maplibregl, { type Map as MapLibre } from "maplibre-gl";
import { overlapping } from "./geometry.ts";
import { highlighted } from "./highlight.ts";
import type { Lot } from "./lots.ts";
import { priceOf } from "./result.tsx";

/** There is a map after the first effect. */
type MapRef = { readonly current: MapLibre | undefined };

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** The pin of the search. A new place from elsewhere, such as AI search, comes into view. */
export function usePin(map: MapRef, { lng, lat }: Place): void {
  const isShown = useRef(false);
  useEffect(() => {
    const made = map.current!;
    const element = document.createElement("div");
    element.className = "map-pin";
    const pin = new maplibregl.Marker({ element, anchor: "bottom" }).setLngLat([lng, lat]).addTo(made);
    // The first one leaves the view of the address.
    if (isShown.current && !made.getBounds().contains([lng, lat])) made.jumpTo({ center: [lng, lat] });
    isShown.current = true;
    return () => void pin.remove();
  }, [lat, lng]);
}

/** Markers for the lots of the list. Where they would overlap, the lot further down the list is a dot. */
export function useLotMarkers(map: MapRef, lots: readonly Lot[], onPick: (lot: Lot) => void): void {
  // The markers are made for a list, and call the newest handler.
  const pick = useRef(onPick);
  pick.current = onPick;
  useEffect(() => {
    const made = map.current!;
    const markers = lots.map((lot) => lotMarker(made, lot, () => pick.current(lot)));
    const separate = () => {
      const overlaps = overlapping(lots.map(({ lng, lat }) => made.project([lng, lat])));
      markers.forEach(({ button }, index) => {
        button.classList.toggle("map-dot", overlaps[index]);
        button.style.zIndex = String(overlaps[index] ? 1 : markers.length - index + 1);
      });
    };
    separate();
    made.on("moveend", separate);
    const stop = highlighted.subscribe((id) => {
      for (const { lot, button } of markers) button.classList.toggle("map-lit", lot.id === id);
    });
    return () => {
      made.off("moveend", separate);
      stop();
      for (const { marker } of markers) marker.remove();
    };
  }, [lots]);
}

function lotMarker(map: MapLibre, lot: Lot, onPick: () => void) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "map-lot";
  button.dataset["lot"] = lot.id;
  button.tabIndex = -1;
  button.textContent = priceOf(lot);
  button.title = lot.name;
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    onPick();
  });
  button.addEventListener("mouseenter", () => highlighted.value = lot.id);
  button.addEventListener("mouseleave", () => highlighted.value = undefined);
  const marker = new maplibregl.Marker({ element: button, anchor: "bottom" }).setLngLat([lot.lng, lot.lat]);
  marker.addTo(map);
  // MapLibre names every marker the same.
  button.setAttribute("aria-label", `${lot.name} ${priceOf(lot)}`);
  return { lot, marker, button };
}

/** The map of lots. */
import { useEffect, useRef } from "preact/hooks";
import maplibregl from "maplibre-gl";
import { settings } from "../../settings.ts";

export function MapPage() {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { lat, lng, zoom } = settings.start;
    const map = new maplibregl.Map({
      container: holder.current!,
      center: [lng, lat],
      zoom,
      style: {
        version: 8,
        sources: { x: { type: "geojson", data: { type: "Point", coordinates: [lng, lat] } } },
        layers: [{ id: "ground", type: "background", paint: { "background-color": "#e8edf2" } }, {
          id: "x",
          type: "circle",
          source: "x",
          paint: { "circle-radius": 20, "circle-color": "#0b5fff" },
        }],
      },
    });
    return () => map.remove();
  }, []);
  return <div class="map" ref={holder} />;
}

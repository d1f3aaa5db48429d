/**
 * The style sheet of `<parking-map>`, which is made with a constructor: a Content-Security-Policy does not forbid it.
 * Colours follow the `color-scheme` of the page. The rules of MapLibre are those that a map in a shadow root needs.
 */
export const MAP_STYLE = `
:host {
  --_ground: var(--parking-map-ground, light-dark(#f6f7f5, #101312));
  --_surface: var(--parking-map-surface, light-dark(#ffffff, #1c211f));
  --_ink: var(--parking-map-ink, light-dark(#14201b, #eef3f0));
  --_ink-2: var(--parking-map-ink-2, light-dark(#51605a, #a9b6b0));
  --_line: var(--parking-map-line, light-dark(#dfe4e1, #2b322f));
  --_edge: var(--parking-map-edge, light-dark(#7d8a84, #6d7a74));
  --_brand: var(--parking-map-brand, light-dark(#0b6b4f, #4cc79b));
  --_on-brand: var(--parking-map-on-brand, light-dark(#ffffff, #0d1f18));
  --_tint: var(--parking-map-tint, light-dark(#e8f1ed, #1c2c26));
  --_price: var(--parking-map-price, light-dark(#ffffff, #323b37));
  --_warn: var(--parking-map-warn, light-dark(#9a5b00, #f0b35a));
  --_stop: var(--parking-map-stop, light-dark(#b3261e, #ff8a80));
  --_round: var(--parking-map-round, 10px);
  --_height: var(--parking-map-height, 480px);
  display: block;
  container-type: inline-size;
  color: var(--_ink);
  font: 16px/1.5 var(--parking-map-font, system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif);
  text-align: start;
}
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
p, ol { margin: 0; padding: 0; }
ol { list-style: none; }
.frame { overflow: hidden; border: 1px solid var(--_line); border-radius: var(--_round); background: var(--_surface); }
.title { padding: 8px 16px; border-bottom: 1px solid var(--_line); font-size: 14px; font-weight: 600; }
.title:empty { display: none; }
.map { position: relative; height: min(var(--_height), 320px); background: var(--_ground); }
.canvas { position: absolute; inset: 0; }
.side { position: relative; display: flex; flex-direction: column; gap: 8px; padding: 12px 16px 16px; }
.status { color: var(--_ink-2); font-size: 14px; }
.status:empty { min-height: 0; }
.status:focus { outline: none; }
.list:empty { display: none; }
.lot { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: 12px; border-bottom: 1px solid var(--_line); }
.lot:last-child { border-bottom: 0; }
.lot[aria-current] { margin-inline: -8px; padding-inline: 8px; border-radius: 6px; background: var(--_tint); }
.name {
  display: block;
  grid-column: 1;
  min-height: 44px;
  padding: 10px 0 0;
  border: 0;
  background: none;
  color: var(--_ink);
  font: inherit;
  font-weight: 600;
  text-align: start;
  text-decoration: none;
  overflow-wrap: anywhere;
  cursor: pointer;
}
a.name { color: var(--_brand); }
.name:hover, a.open:hover, a.details:hover { text-decoration: underline; }
.price { padding-top: 10px; font-weight: 600; font-variant-numeric: tabular-nums; text-align: end; white-space: nowrap; }
.price.unknown { color: var(--_ink-2); font-weight: 400; }
.reason { max-width: 9em; padding-top: 10px; color: var(--_stop); font-size: 14px; text-align: end; }
.facts { grid-column: 1 / -1; padding-bottom: 10px; color: var(--_ink-2); font-size: 14px; }
.fact.warn { color: var(--_warn); }
.fact.best { color: var(--_brand); font-weight: 600; }
.button, .open, .details {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-width: 44px;
  min-height: 44px;
  font: inherit;
  font-weight: 600;
}
.button {
  padding: 4px 16px;
  border: 1px solid var(--_edge);
  border-radius: 6px;
  background: var(--_surface);
  color: var(--_ink);
  cursor: pointer;
}
.button:hover { border-color: var(--_ink); }
.open, .details { align-self: start; color: var(--_brand); text-decoration: none; }
.error { display: grid; gap: 8px; justify-items: start; }
.error p { color: var(--_stop); }
.error.empty p { color: var(--_ink-2); }
:focus-visible { outline: 2px solid var(--_brand); outline-offset: 2px; }
.skip { position: absolute; z-index: 4; inset: 8px auto auto 8px; }
.skip:not(:focus) { width: 1px; height: 1px; min-width: 0; min-height: 0; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); }
.zoom { position: absolute; z-index: 2; inset: 8px 8px auto auto; display: grid; gap: 4px; }
.zoom .button { padding: 0; font-size: 20px; line-height: 1; }
.card {
  position: absolute;
  z-index: 3;
  inset: auto 8px 32px;
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto 44px;
  align-items: center;
  column-gap: 8px;
  padding: 4px 4px 4px 16px;
  border: 1px solid var(--_edge);
  border-radius: var(--_round);
  background: var(--_surface);
}
/* Above a pin of the lower half, beside the buttons. */
.card.high { inset: 8px 60px auto 8px; }
.card .what { padding: 6px 0; }
.card .what > * { display: block; max-width: none; padding: 0; text-align: start; }
.card .name { min-height: 0; cursor: auto; }
.card .price { white-space: normal; }
.card .details { align-self: center; }
.card .close { padding: 0; border: 0; }

.pin {
  display: flex;
  align-items: end;
  justify-content: center;
  min-width: 44px;
  height: 44px;
  padding: 0 0 5px;
  border: 0;
  background: none;
  color: var(--_ink);
  font: 600 14px/26px var(--parking-map-font, system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif);
  font-variant-numeric: tabular-nums;
  cursor: pointer;
}
.pill {
  position: relative;
  padding: 0 10px;
  border: 1px solid var(--_edge);
  border-radius: 999px;
  background: var(--_price);
  white-space: nowrap;
}
.pill::after {
  content: "";
  position: absolute;
  bottom: -6px;
  left: calc(50% - 5px);
  width: 10px;
  height: 6px;
  background: inherit;
  clip-path: polygon(0 0, 100% 0, 50% 100%);
}
.pin.best .pill { border-color: var(--_brand); background: var(--_brand); color: var(--_on-brand); }
.pin.unknown .pill { border-style: dashed; background: var(--_surface); color: var(--_ink-2); }
.pin.unusable { align-items: center; padding: 0; }
.pin.unusable .pill { width: 20px; padding: 0; background: var(--_ground); color: var(--_ink-2); font-size: 12px; line-height: 18px; text-align: center; }
.pin.unusable .pill::after { content: none; }
.pin:not(.dot) { z-index: 1; }
.pin[aria-pressed=true], .pin:focus-visible { z-index: 2; }
.pin[aria-pressed=true] .pill { border-color: var(--_edge); background: var(--_ink); color: var(--_surface); }
.pin.dot { min-width: 10px; width: 10px; height: 10px; padding: 0; pointer-events: none; translate: 0 5px; }
.pin.unusable.dot { translate: none; }
.pin.dot .pill { width: 10px; height: 10px; padding: 0; border: 2px solid var(--_ink-2); background: var(--_surface); font-size: 0; }
.pin.dot .pill::after { content: none; }
.here { width: 18px; height: 18px; border: 4px solid var(--_brand); border-radius: 50%; background: var(--_surface); pointer-events: none; }

.maplibregl-map { overflow: hidden; font-size: 12px; line-height: 20px; }
.maplibregl-canvas { position: absolute; inset: 0 auto auto 0; }
.maplibregl-canvas-container.maplibregl-interactive { cursor: grab; user-select: none; }
.maplibregl-canvas-container.maplibregl-interactive:active { cursor: grabbing; }
.maplibregl-cooperative-gestures, .maplibregl-cooperative-gestures .maplibregl-canvas { touch-action: pan-x pan-y; }
.maplibregl-marker { position: absolute; inset: 0 auto auto 0; will-change: transform; }
.maplibregl-control-container { position: absolute; z-index: 2; inset: auto 0 0; pointer-events: none; }
.maplibregl-ctrl-attrib { float: right; padding: 2px 6px; background: var(--_surface); color: var(--_ink-2); pointer-events: auto; }
.maplibregl-ctrl-attrib-button { display: none; }
.maplibregl-ctrl-attrib a { color: inherit; }
.maplibregl-cooperative-gesture-screen {
  position: absolute;
  z-index: 5;
  inset: 0;
  display: flex;
  align-items: center;
  justify-content: center;
  padding: 16px;
  background: #000000b3;
  color: #ffffff;
  font-size: 16px;
  text-align: center;
  opacity: 0;
  pointer-events: none;
}
.maplibregl-cooperative-gesture-screen.maplibregl-show { opacity: 1; }
.maplibregl-mobile-message { display: none; }
@media (hover: none) {
  .maplibregl-mobile-message { display: block; }
  .maplibregl-desktop-message { display: none; }
}

@container (min-width: 640px) {
  .with-map .body { display: grid; grid-template-columns: minmax(0, 1fr) minmax(280px, 36%); height: var(--_height); }
  .with-map .map { height: auto; }
  .with-map .side { overflow-y: auto; border-inline-start: 1px solid var(--_line); }
}
@media (forced-colors: active) {
  .pill { border-color: CanvasText; }
  .pin[aria-pressed=true] .pill, .lot[aria-current] { outline: 2px solid Highlight; }
}
`;

/// <reference lib="dom" />
/** The photos of a lot in their order: moved with a pointer, by keys and by buttons; one is the main one. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { consoleTexts } from "../../../../texts/console.ts";
import { ErrorNote } from "../../../../ui/error_note.tsx";
import { useAction } from "../../../../ui/load.tsx";
import { client } from "../../../kit/access.ts";
import { type Entry, ifMatch } from "../../../kit/entry.ts";
import type { Lot } from "../prices/tariff.ts";
import { SaveBar, useSaved } from "../save_bar.tsx";
import { moved } from "./order.ts";

const text = consoleTexts(({ photos }) => photos);

type Photo = Omit<Lot["images"][number], "id" | "sort_order"> & { readonly id?: string };

/** As many photos as a lot can have. */
const MOST = 20;

/** The service returns the main photo first; here each is at its place. */
const photosOf = ({ images }: Lot): Photo[] =>
  images.toSorted((a, b) => (a.sort_order ?? Infinity) - (b.sort_order ?? Infinity))
    .map(({ sort_order: _, ...photo }) => photo);

export function PhotosEditor({ entry }: { entry: Entry<Lot> }) {
  const t = text.value;
  const [draft, setDraft] = useState<readonly Photo[]>();
  const saved = useSaved(entry, {
    isSame: (a, b) => JSON.stringify(a.images) === JSON.stringify(b.images),
    onReset: () => setDraft(undefined),
    save: (seen) =>
      client.PUT("/v1/admin/parking-lots/{id}/images", {
        params: { path: { id: seen.data.id }, header: ifMatch(seen) },
        body: {
          images: photos.map(({ image_url: _, ...photo }, index) => ({ ...photo, sort_order: index + 1 })),
        },
      }),
  });
  const stored = photosOf(saved.base);
  const photos = draft ?? stored;
  const change = (next: readonly Photo[]) =>
    setDraft(JSON.stringify(next) === JSON.stringify(stored) ? undefined : next);
  const previews = useRef<string[]>([]);
  useEffect(() => () => previews.current.forEach((url) => URL.revokeObjectURL(url)), []);
  const list = useRef<HTMLOListElement>(null);
  const dragged = useRef<number | undefined>(undefined);
  const movedTo = useRef<number | undefined>(undefined);
  const move = (from: number, to: number) => {
    if (photos[to] === undefined) return;
    change(moved(photos, from, to));
    movedTo.current = to;
  };
  // The focus goes with the photo.
  useLayoutEffect(() => {
    if (movedTo.current === undefined) return;
    list.current?.querySelectorAll<HTMLElement>(".photos-hold")[movedTo.current]?.focus();
    movedTo.current = undefined;
  });
  const placeAt = (x: number, y: number) => {
    const item = document.elementFromPoint(x, y)?.closest(".photos-order > li");
    return item ? [...list.current!.children].indexOf(item) : -1;
  };
  return (
    <div class="photos-editor">
      <p class="small">{t.hint}</p>
      <ol
        class="photos-order"
        ref={list}
        onPointerMove={(event) => {
          const from = dragged.current;
          if (from === undefined) return;
          const to = placeAt(event.clientX, event.clientY);
          if (to === -1 || to === from) return;
          change(moved(photos, from, to));
          dragged.current = to;
        }}
        onPointerUp={() => dragged.current = undefined}
        onPointerCancel={() => dragged.current = undefined}
      >
        {photos.map((photo, index) => (
          <li key={photo.asset_id}>
            <button
              type="button"
              class="photos-hold"
              aria-label={t.photo(index + 1, photos.length)}
              onPointerDown={(event) => {
                if (event.button === 0) dragged.current = index;
                event.currentTarget.releasePointerCapture(event.pointerId);
              }}
              onKeyDown={(event) => {
                const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
                if (by === undefined) return;
                event.preventDefault();
                move(index, index + by);
              }}
            >
              {photo.image_url === null
                ? <span class="small">{t.noPicture}</span>
                : <img src={photo.image_url} alt="" draggable={false} />}
            </button>
            <div class="row">
              <button
                type="button"
                class="quiet"
                aria-pressed={photo.is_main}
                onClick={() =>
                  change(photos.map((one) => ({ ...one, is_main: one.asset_id === photo.asset_id && !photo.is_main })))}
              >
                {t.main}
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={t.remove(index + 1)}
                title={t.remove(index + 1)}
                onClick={() => change(photos.toSpliced(index, 1))}
              >
                ×
              </button>
            </div>
          </li>
        ))}
      </ol>
      {photos.length < MOST && (
        <AddPhotos
          room={MOST - photos.length}
          onAdd={(added) => {
            previews.current.push(...added.flatMap(({ image_url }) => image_url ?? []));
            change([...photos, ...added]);
          }}
        />
      )}
      <SaveBar
        entry={entry}
        saved={saved}
        isChanged={draft !== undefined}
        fields={[{
          label: t.photos,
          show: ({ images }) => (
            <ol class="photos-order is-small">
              {images.map(({ asset_id, image_url, is_main }) => (
                <li key={asset_id}>
                  {image_url !== null && <img src={image_url} alt="" />}
                  {is_main && t.main}
                </li>
              ))}
            </ol>
          ),
          value: ({ images }) => images,
        }]}
      />
    </div>
  );
}

/** Files that are sent when they are chosen. They belong to the lot when it is saved. */
function AddPhotos({ room, onAdd }: { room: number; onAdd: (photos: readonly Photo[]) => void }) {
  const t = text.value;
  const files = useRef<readonly File[]>([]);
  const action = useAction(async () => {
    const added: Photo[] = [];
    try {
      for (const file of files.current.slice(0, room)) {
        const asset_id = await client.upload(file, {
          file_name: file.name,
          category: "parking_lot",
          is_public: true,
        });
        added.push({ asset_id, is_main: false, image_url: URL.createObjectURL(file) });
      }
    } finally {
      if (added.length > 0) onAdd(added);
    }
  });
  return (
    <label class="field">
      <span>{t.add}</span>
      <input
        type="file"
        accept="image/*"
        multiple
        aria-busy={action.isRunning}
        onChange={({ currentTarget }) => {
          files.current = [...currentTarget.files ?? []];
          void action.run().then(() => currentTarget.value = "");
        }}
      />
      {action.error !== undefined && <ErrorNote error={action.error} />}
    </label>
  );
}

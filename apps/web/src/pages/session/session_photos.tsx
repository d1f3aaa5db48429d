/** The photos of a session: up to four while parked, and up to four afterwards. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { uploadPhotos } from "../../photos.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Form } from "../../ui/form.tsx";
import { ActionButton, Loaded, useLoad } from "../../ui/load.tsx";
import { PhotoPicker, usePhotos } from "../../ui/photo_picker.tsx";

type Photo = components["schemas"]["SessionPhoto"];
type Phase = Photo["phase"];

const text = pageTexts(({ session }) => session.sessionPhotos);

const SLOTS = [1, 2, 3, 4];

export function SessionPhotos({ sessionId, phase }: { sessionId: string; phase: Phase }) {
  const params = { path: { id: sessionId } };
  const load = useLoad(
    async (signal) => (await client.GET("/v1/me/parking-sessions/{id}", { params, signal })).data.photos,
    [sessionId],
  );
  return (
    <Loaded load={load}>
      {(photos) => (
        <>
          <PhotoList photos={photos} sessionId={sessionId} onChange={load.reload} />
          <AddPhotos key={photos.length} photos={photos} sessionId={sessionId} phase={phase} onChange={load.reload} />
        </>
      )}
    </Loaded>
  );
}

interface PhotosProps {
  readonly photos: readonly Photo[];
  readonly sessionId: string;
  readonly onChange: () => void;
}

function PhotoList({ photos, sessionId, onChange }: PhotosProps) {
  const t = text.value;
  if (photos.length === 0) return null;
  return (
    <ul class="session-photos">
      {photos.map(({ id, url, phase, slot }) => (
        <li key={id}>
          <img src={url} alt={t.photo(label("session_photo_phase", phase), slot)} loading="lazy" />
          <ActionButton
            class="quiet"
            perform={async () => {
              const params = { path: { id: sessionId, phase, slot } };
              await client.DELETE("/v1/me/parking-sessions/{id}/photos/{phase}/{slot}", { params });
              onChange();
            }}
          >
            {t.remove} <span class="visually-hidden">{t.photo(label("session_photo_phase", phase), slot)}</span>
          </ActionButton>
        </li>
      ))}
    </ul>
  );
}

function AddPhotos({ photos, sessionId, phase, onChange }: PhotosProps & { phase: Phase }) {
  const t = text.value;
  const [chosen, setChosen] = usePhotos();
  const [progress, setProgress] = useState<number>();
  const free = SLOTS.filter((slot) => !photos.some((photo) => photo.phase === phase && photo.slot === slot));
  if (free.length === 0) return null;
  const send = async () => {
    const blobs = chosen.map(({ blob }) => blob);
    const assets = await uploadPhotos(blobs, { category: "session_photo" }, setProgress)
      .finally(() => setProgress(undefined));
    for (const [index, asset_id] of assets.entries()) {
      const params = { path: { id: sessionId, phase, slot: free[index]! } };
      await client.PUT("/v1/me/parking-sessions/{id}/photos/{phase}/{slot}", { params, body: { asset_id } });
    }
    onChange();
  };
  return (
    <Form submit={t.send} onSubmit={send}>
      <PhotoPicker
        name="session_photos"
        label={t.add}
        most={free.length}
        photos={chosen}
        onChange={setChosen}
        progress={progress}
      />
    </Form>
  );
}

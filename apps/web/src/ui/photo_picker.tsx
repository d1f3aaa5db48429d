/** A choice of photos with previews. Each photo is made smaller and drawn again as soon as it is chosen. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { number } from "../format.ts";
import { PHOTO_TYPES, redrawn } from "../photos.ts";
import { pageTexts } from "../texts/pages.ts";
import { ErrorNote } from "./error_note.tsx";
import { useAction } from "./load.tsx";

const text = pageTexts(({ ui }) => ui.photos);

export interface ChosenPhoto {
  readonly blob: Blob;
  /** An address of the photo in this page, for its preview. */
  readonly url: string;
}

export interface PhotoPickerProps {
  /** The name of the field, as the request has it. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** How many photos there can be. */
  readonly most: number;
  readonly photos: readonly ChosenPhoto[];
  readonly onChange: (photos: readonly ChosenPhoto[]) => void;
  /** The share that is sent, from 0 to 1; undefined while nothing is sent. */
  readonly progress?: number | undefined;
}

/** The photos of a picker; their previews are removed with the component. */
export function usePhotos(): [readonly ChosenPhoto[], (photos: readonly ChosenPhoto[]) => void] {
  const [photos, setPhotos] = useState<readonly ChosenPhoto[]>([]);
  const all = useRef<readonly ChosenPhoto[]>([]);
  all.current = photos;
  useEffect(() => () => all.current.forEach(({ url }) => URL.revokeObjectURL(url)), []);
  return [photos, setPhotos];
}

export function PhotoPicker({ name, label, hint, most, photos, onChange, progress }: PhotoPickerProps) {
  const t = text.value;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const add = useAction(async () => {
    const files = [...input.current!.files ?? []].slice(0, most - photos.length);
    const added: ChosenPhoto[] = [];
    for (const file of files) {
      const blob = await redrawn(file);
      added.push({ blob, url: URL.createObjectURL(blob) });
    }
    input.current!.value = "";
    onChange([...photos, ...added]);
  });
  const remove = (photo: ChosenPhoto) => {
    URL.revokeObjectURL(photo.url);
    onChange(photos.filter((other) => other !== photo));
  };
  return (
    <div class="field">
      {photos.length > 0 && (
        <ul class="photo-previews">
          {photos.map((photo, index) => (
            <li key={photo.url}>
              <img src={photo.url} alt={t.chosen(index + 1)} />
              <button type="button" aria-label={t.remove(index + 1)} onClick={() => remove(photo)}>×</button>
            </li>
          ))}
        </ul>
      )}
      {photos.length < most && (
        <div class="photo-add">
          <input
            ref={input}
            class="visually-hidden"
            id={id}
            name={name}
            type="file"
            accept={PHOTO_TYPES}
            multiple={most > 1}
            aria-describedby={`${id}-hint`}
            onChange={() => void add.run()}
          />
          <label for={id}>{label}</label>
        </div>
      )}
      <p class="small" id={`${id}-hint`}>{hint ?? t.hint}</p>
      {add.error !== undefined && <ErrorNote error={add.error} />}
      <div role="status">
        {add.isRunning && <p class="small">{t.preparing}</p>}
        {progress !== undefined && (
          <>
            <progress value={progress} aria-label={t.sending} />
            <span class="visually-hidden">{number(progress * 100)}%</span>
          </>
        )}
      </div>
    </div>
  );
}

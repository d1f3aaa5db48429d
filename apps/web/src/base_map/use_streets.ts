/** The file of streets that a map draws. */
import { useEffect, useState } from "preact/hooks";
import { settings } from "../settings.ts";
import { readTileFile, type TileFile } from "./tile_files.ts";

/** What the file of streets has. If it cannot be read, the map has no streets. */
export function useStreets(): TileFile | "reading" | undefined {
  const url = settings.streets?.url;
  const [streets, setStreets] = useState<TileFile | "reading" | undefined>(url === undefined ? undefined : "reading");
  useEffect(() => {
    if (url === undefined) return;
    readTileFile(url).then(setStreets, (error) => {
      console.error(`The streets of the map (${url}) cannot be read: ${error}`);
      setStreets(undefined);
    });
  }, []);
  return streets;
}

/** Opens the sheet that starts a session here. */
import { useState } from "preact/hooks";
import { whenSignedIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { StartSheet } from "./start_sheet.tsx";
import type { LotProps } from "./lot.ts";

const text = pageTexts(({ lot }) => lot.startButton);

export function StartButton({ lot, stay }: LotProps) {
  const [isOpen, setIsOpen] = useState(false);
  const open = () => {
    setIsOpen(true);
    return Promise.resolve();
  };
  return (
    <>
      <button type="button" onClick={() => void whenSignedIn(open)}>{text.value.start}</button>
      {isOpen && <StartSheet lot={lot} stay={stay} onClose={() => setIsOpen(false)} />}
    </>
  );
}

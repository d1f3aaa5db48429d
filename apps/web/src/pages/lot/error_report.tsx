/** The dialog in which a user reports an error in the data of the lot. */
import { useState } from "preact/hooks";
import { NewErrorReport } from "../../bounds.ts";
import { options } from "../../codes.ts";
import { deliver } from "../../outbox.ts";
import { uploadPhotos } from "../../photos.ts";
import { client } from "../../service.ts";
import { ActionButton } from "../../ui/load.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, Select, TextArea } from "../../ui/form.tsx";
import { type Outcome, OutcomeNote, outcomeOf } from "../../ui/outcome_note.tsx";
import { PhotoPicker, usePhotos } from "../../ui/photo_picker.tsx";
import { whenSignedIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot } from "./lot.ts";

const text = pageTexts(({ lot }) => lot.errorReport);

/** The types that are about a lot that the service has. */
const isAboutLot = ([code]: [string, string]) => code !== "missing";

export function ErrorReport({ lot }: { lot: Lot }) {
  const [isOpen, setIsOpen] = useState(false);
  const show = () => {
    setIsOpen(true);
    return Promise.resolve();
  };
  return (
    <>
      <ActionButton perform={() => whenSignedIn(show)}>{text.value.open}</ActionButton>
      {isOpen && (
        <Dialog title={text.value.title} onClose={() => setIsOpen(false)}>
          <ReportForm lot={lot} />
        </Dialog>
      )}
    </>
  );
}

function ReportForm({ lot }: { lot: Lot }) {
  const t = text.value;
  const [outcome, setOutcome] = useState<Outcome>();
  const [photos, setPhotos] = usePhotos();
  const [progress, setProgress] = useState<number>();
  const send = async (values: FormData) => {
    const blobs = photos.map(({ blob }) => blob);
    const evidence = await uploadPhotos(blobs, { category: "error_report" }, setProgress)
      .finally(() => setProgress(undefined));
    const body = {
      parking_lot_id: lot.id,
      report_type: String(values.get("report_type")),
      description: String(values.get("description")),
      ...(evidence.length > 0 ? { evidence_asset_ids: evidence } : {}),
    };
    const reply = await deliver("error_report", (keyed) => client.POST("/v1/error-reports", { body, ...keyed }));
    setOutcome(outcomeOf(reply));
  };
  if (outcome) return <OutcomeNote outcome={outcome} sent={t.sent} />;
  return (
    <Form submit={t.send} onSubmit={send}>
      <Select name="report_type" label={t.type} options={options("error_report_type").filter(isAboutLot)} required />
      <TextArea name="description" label={t.description} rows={4} {...NewErrorReport.description} required />
      <PhotoPicker
        name="evidence_asset_ids"
        label={t.photos}
        most={5}
        photos={photos}
        onChange={setPhotos}
        progress={progress}
      />
    </Form>
  );
}

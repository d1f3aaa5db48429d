/** The dialog in which a user reports an error in the data of the lot. */
import { useState } from "preact/hooks";
import { options } from "../../codes.ts";
import { client } from "../../service.ts";
import { ActionButton } from "../../ui/load.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Form, Select, TextArea } from "../../ui/form.tsx";
import { whenSignedIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot } from "./lot.ts";
import { filesOf, PHOTO_TYPES, uploadAll } from "./uploads.ts";

const text = pageTexts(({ lot }) => lot.errorReport);

/** The types that are about a lot that the service has. */
const isAboutLot = ([code]: [string, string]) => code !== "missing";

export function ErrorReport({ lot }: { lot: Lot }) {
  const [isOpen, setIsOpen] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const t = text.value;
  const send = async (values: FormData) => {
    const evidence = await uploadAll(filesOf(values, "evidence_asset_ids"), { category: "error_report" });
    await client.POST("/v1/error-reports", {
      body: {
        parking_lot_id: lot.id,
        report_type: String(values.get("report_type")),
        severity: values.get("severity") as "medium",
        description: String(values.get("description")),
        ...(evidence.length > 0 ? { evidence_asset_ids: evidence } : {}),
      },
    });
    setIsSent(true);
  };
  const show = async () => {
    setIsSent(false);
    setIsOpen(true);
    await Promise.resolve();
  };
  return (
    <>
      <ActionButton perform={() => whenSignedIn(show)}>{t.open}</ActionButton>
      {isOpen && (
        <Dialog title={t.title} onClose={() => setIsOpen(false)}>
          {isSent ? <p class="notice" role="status">{t.sent}</p> : (
            <Form submit={t.send} onSubmit={send}>
              <Select
                name="report_type"
                label={t.type}
                options={options("error_report_type").filter(isAboutLot)}
                required
              />
              <TextArea name="description" label={t.description} rows={4} maxLength={2000} required />
              <Select
                name="severity"
                label={t.severity}
                options={options("error_report_severity")}
                defaultValue="medium"
              />
              <Field name="evidence_asset_ids" label={t.photos} type="file" accept={PHOTO_TYPES} multiple />
            </Form>
          )}
        </Dialog>
      )}
    </>
  );
}

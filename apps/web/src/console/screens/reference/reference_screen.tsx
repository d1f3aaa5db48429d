/** Reference data: a list of each kind, and its entries to add, edit and delete. */
import type { PageProps } from "../../../page.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { may } from "../../kit/access.ts";
import { ResourceView } from "../../kit/resource.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { LISTS, SCREEN } from "./resources.tsx";

const text = consoleTexts(({ reference }) => reference);

export function ReferenceScreen({ parts: [name, ...rest] }: PageProps) {
  const t = text.value;
  const offered = LISTS.filter(({ area }) => may(area));
  const chosen = LISTS.find((list) => list.name === name) ?? offered[0]!;
  return (
    <>
      <Tabs
        label={t.lists}
        tabs={offered.map(({ name }) => [`${SCREEN}/${name}`, t.names[name]])}
        current={`${SCREEN}/${chosen.name}`}
      />
      <ResourceView
        key={chosen.name}
        resource={chosen.resource}
        parts={rest}
        list={<chosen.ReferenceTable />}
      />
    </>
  );
}

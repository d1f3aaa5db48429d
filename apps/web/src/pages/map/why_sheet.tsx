/** Why the list has its order: the parts of the score, once for the first lots. */
import { number } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { Lot } from "./lots.ts";
import type { Sort } from "./search.ts";

const text = pageTexts(({ map }) => map.why);

const SHOWN = 5;
const PARTS = ["price", "distance", "rating"] as const;

export function WhySheet({ lots, sort, onClose }: { lots: readonly Lot[]; sort: Sort; onClose: () => void }) {
  const t = text.value;
  const scored = lots.filter((lot) => lot.ranking_components !== undefined).slice(0, SHOWN);
  return (
    <Dialog title={t.title} onClose={onClose}>
      <p>{t.usableFirst}</p>
      <p>{t.orders[sort]}</p>
      {sort === "recommended" && scored.length > 0 && (
        <div class="scroll">
          <table class="why-table">
            <thead>
              <tr>
                <th scope="col">{t.lot}</th>
                {PARTS.map((part) => <th key={part} scope="col" class="number">{t.parts[part]}</th>)}
                <th scope="col" class="number">{t.score}</th>
              </tr>
            </thead>
            <tbody>
              {scored.map(({ id, name, ranking_components: parts, ranking_score }) => (
                <tr key={id}>
                  <th scope="row">{name}</th>
                  {PARTS.map((part) => <td key={part} class="number">{number(parts![part])}</td>)}
                  <td class="number">{number(ranking_score!)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  );
}

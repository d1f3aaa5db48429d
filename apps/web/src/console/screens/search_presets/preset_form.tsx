/** The form of a preset. */
import { NewSearchPreset } from "../../../bounds.ts";
import { options } from "../../../codes.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Checkbox, Field, Form, Select } from "../../../ui/form.tsx";
import type { Preset, PresetQuery } from "./preset_table.tsx";

const text = consoleTexts(({ searchPresets }) => searchPresets);

const attributes = () => options("attribute");

/** The query of the form. Conditions that the form does not have stay. */
function queryOf(values: FormData, before: PresetQuery): PresetQuery {
  const of = (name: string) => String(values.get(`query_json.${name}`) ?? "").trim();
  const { radius_m: _, price_max: __, sort: ___, ...rest } = before;
  const [radius, price, sort] = [of("radius_m"), of("price_max"), of("sort")];
  return {
    ...rest,
    ...(radius === "" ? {} : { radius_m: Number(radius) }),
    ...(price === "" ? {} : { price_max: Number(price) }),
    ...(sort === "" ? {} : { sort: sort as NonNullable<PresetQuery["sort"]> }),
    attributes: attributes().filter(([code]) => values.has(code)).map(([code]) => code) as NonNullable<
      PresetQuery["attributes"]
    >,
  };
}

export function PresetForm(
  { preset, onSave }: { preset: Preset | undefined; onSave: (name: string, query: PresetQuery) => Promise<void> },
) {
  const t = text.value;
  const query = preset?.query_json ?? {};
  return (
    <Form
      submit={t.save}
      onSubmit={(values) => onSave(String(values.get("name") ?? "").trim(), queryOf(values, query))}
    >
      <Field name="name" label={t.name} defaultValue={preset?.name} {...NewSearchPreset.name} required />
      <Field name="query_json.radius_m" label={t.radius} type="number" defaultValue={query.radius_m} />
      <Field name="query_json.price_max" label={t.priceMax} type="number" defaultValue={query.price_max ?? undefined} />
      <Select
        name="query_json.sort"
        label={t.sort}
        options={[["", t.noSort], ...options("search_sort")]}
        defaultValue={query.sort}
      />
      <fieldset class="console-checks">
        <legend>{t.attributes}</legend>
        {attributes().map(([code, label]) => (
          <Checkbox
            key={code}
            name={code}
            label={label}
            defaultChecked={(query.attributes as string[] | undefined)?.includes(code) ?? false}
          />
        ))}
      </fieldset>
    </Form>
  );
}

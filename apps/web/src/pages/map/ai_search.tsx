/** A sentence that the service turns into conditions, with what it understood, assumed and could not decide. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { dateTime, money, number } from "../../format.ts";
import { toLocalInput } from "../../local_time.ts";
import { language } from "../../language.ts";
import { client, isSignedIn } from "../../service.ts";
import { askToSignIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Checkbox, Form, TextArea } from "../../ui/form.tsx";
import { queryOf, type Values, valuesOfQuery, VEHICLE_FIELDS } from "./conditions.ts";
import { dimensionName, measure } from "./dimensions.ts";
import type { Search } from "./search.ts";

type Schemas = components["schemas"];
type SearchQuery = Schemas["SearchQueryV1"];
type Answer = Schemas["AiSearchAnswer"] | Schemas["AiSearchReply"];

const text = pageTexts(({ map }) => map.aiSearch);

export function AiSearch({ search, change }: { search: Search; change: (fields: Values) => void }) {
  const t = text.value;
  const [answer, setAnswer] = useState<Answer>();
  const ask = async (values: FormData) => {
    const sentence = String(values.get("query"));
    const { lat, lng } = search;
    const { data } = await client.POST("/v1/search/ai", {
      body: {
        locale: language.value,
        lat,
        lng,
        ...(values.has("refine")
          ? { action: "parse", message: sentence, context: contextOf(search) }
          : { query: sentence }),
      },
    });
    // The third form of the response belongs to keys of AI providers.
    if (!("parser" in data)) return;
    setAnswer(data);
    if (data.query) change(valuesOfAnswer(data, data.query));
  };
  return (
    <section class="map-ai" aria-label={t.title}>
      {isSignedIn.value
        ? (
          <Form submit={t.submit} onSubmit={ask}>
            <TextArea name="query" label={t.sentence} hint={t.example} rows={2} maxLength={500} required />
            {answer && <Checkbox name="refine" label={t.refine} />}
          </Form>
        )
        : <button type="button" class="link" onClick={() => askToSignIn()}>{t.signIn}</button>}
      <div aria-live="polite">{answer && <Understood answer={answer} />}</div>
    </section>
  );
}

/** The search as it is, for a sentence that changes it. */
function contextOf({ lat, lng, radius, sort, values }: Search): SearchQuery {
  const placeName = values["place"];
  return {
    v: 1,
    ...queryOf(values),
    center: { lat, lng, ...(placeName ? { placeName } : {}) },
    radius_m: radius,
    sort,
  };
}

/** What the panel shows after the answer. Place, stay, radius and order that the text does not have stay as they are. */
function valuesOfAnswer({ location, entry_at, exit_at, max_price }: Answer, query: SearchQuery): Values {
  const { sort, ...fields } = valuesOfQuery(query);
  return {
    ...fields,
    ...(sort ? { sort } : {}),
    ...(location ? { lat: String(location.lat), lng: String(location.lng), place: location.name } : {}),
    ...(entry_at && exit_at
      ? {
        entry: toLocalInput(new Date(entry_at)),
        exit: toLocalInput(new Date(exit_at)),
        // With a stay the limit is for the stay; the query can only have it as the price of an hour.
        ...(max_price === null ? {} : { max_price: String(max_price), price_max: "" }),
      }
      : {}),
  };
}

function Understood({ answer }: { answer: Answer }) {
  const t = text.value;
  const { location, entry_at, exit_at, max_price, filters, query } = answer;
  const parts: [name: string, value: string][] = [];
  if (location) parts.push([t.place, location.name]);
  if (entry_at) parts.push([t.stay, [entry_at, ...exit_at ? [exit_at] : []].map((time) => dateTime(time)).join(" – ")]);
  if (max_price !== null) parts.push([t.price, money(max_price)]);
  if (filters.length > 0) parts.push([t.features, filters.map((code) => label("attribute", code)).join(", ")]);
  const dimensions = VEHICLE_FIELDS.flatMap(({ name }) => {
    const value = query?.vehicle?.[name];
    return value ? [`${dimensionName(name)} ${measure(name, value)}`] : [];
  });
  if (dimensions.length > 0) parts.push([t.vehicle, dimensions.join(", ")]);
  return (
    <div class="notice">
      {"reply" in answer && <p>{answer.reply}</p>}
      <p>
        <strong>{t.understood}</strong>{" "}
        <span class="small">
          {t.parser[answer.parser]}
          {answer.model && ` (${answer.model})`}, {t.confidence(number(answer.confidence * 100))}
        </span>
      </p>
      {parts.length === 0 ? <p>{t.nothing}</p> : (
        <dl class="map-understood">
          {parts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <AiSearchNotes title={t.assumptions} notes={answer.assumptions} />
      <AiSearchNotes title={t.unresolved} notes={answer.unresolved} />
    </div>
  );
}

function AiSearchNotes({ title, notes }: { title: string; notes: Answer["assumptions"] }) {
  if (notes.length === 0) return null;
  return (
    <>
      <p class="small">
        <strong>{title}</strong>
      </p>
      <ul class="small">
        {notes.map(({ text, reason }, index) => <li key={index}>{text && `“${text}”: `}{reason}</li>)}
      </ul>
    </>
  );
}

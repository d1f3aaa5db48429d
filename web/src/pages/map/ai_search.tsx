/** A sentence that the service turns into conditions, with what it understood, assumed and could not decide. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { dateTime, money, number, toLocalInput } from "../../format.ts";
import { language, texts } from "../../language.ts";
import { client, isSignedIn } from "../../service.ts";
import { askToSignIn } from "../account/sign_in.tsx";
import { Form, TextArea } from "../../ui/form.tsx";
import { type Values, valuesOfQuery } from "./conditions.ts";
import type { Search } from "./search.ts";

type Answer = components["schemas"]["AiSearchAnswer"];

const text = texts({
  en: {
    title: "Search in your own words",
    sentence: "What do you need?",
    example: "For example: tomorrow 9 to 6 near Shibuya station, under 2,000 yen, covered",
    submit: "Search by sentence",
    signIn: "Sign in to search by a sentence",
    understood: "Understood",
    place: "Place",
    stay: "Stay",
    price: "At most",
    features: "Features",
    vehicle: "Vehicle",
    nothing: "Nothing that the search can use.",
    assumptions: "Assumed",
    unresolved: "Not clear",
    parser: { rules: "Read by rules", model: "Read by a model" },
    confidence: (percent: string) => `confidence ${percent} %`,
  },
  ja: {
    title: "文章で検索",
    sentence: "どんな駐車場をお探しですか",
    example: "例: 明日9時から18時まで渋谷駅の近く、2,000円以内、屋根付き",
    submit: "文章で検索",
    signIn: "ログインすると文章で検索できます",
    understood: "読み取った条件",
    place: "場所",
    stay: "時間",
    price: "上限",
    features: "特徴",
    vehicle: "車両",
    nothing: "検索に使える条件がありません。",
    assumptions: "推定したこと",
    unresolved: "分からなかったこと",
    parser: { rules: "規則で解析", model: "モデルで解析" },
    confidence: (percent: string) => `確信度 ${percent}%`,
  },
});

export function AiSearch({ search, change }: { search: Search; change: (fields: Values) => void }) {
  const t = text.value;
  const [answer, setAnswer] = useState<Answer>();
  return (
    <section class="map-ai" aria-label={t.title}>
      {isSignedIn.value
        ? (
          <Form
            submit={t.submit}
            onSubmit={async (values) => {
              const { data } = await client.POST("/v1/search/ai", {
                body: {
                  query: String(values.get("query")),
                  locale: language.value,
                  lat: search.lat,
                  lng: search.lng,
                },
              });
              if (!("confidence" in data) || "status" in data) return;
              setAnswer(data);
              change(valuesOfAnswer(data));
            }}
          >
            <TextArea name="query" label={t.sentence} hint={t.example} rows={2} maxLength={500} required />
          </Form>
        )
        : <button type="button" class="link" onClick={() => askToSignIn()}>{t.signIn}</button>}
      <div aria-live="polite">{answer && <Understood answer={answer} />}</div>
    </section>
  );
}

/** What the panel shows after the answer. Values that the text does not have stay as they are. */
function valuesOfAnswer({ query, location, entry_at, exit_at, max_price }: Answer): Values {
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
  if (query.vehicle) {
    parts.push([t.vehicle, Object.entries(query.vehicle).map(([name, value]) => `${name} ${value}`).join(", ")]);
  }
  return (
    <div class="notice">
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
      <Notes title={t.assumptions} notes={answer.assumptions} />
      <Notes title={t.unresolved} notes={answer.unresolved} />
    </div>
  );
}

function Notes({ title, notes }: { title: string; notes: Answer["assumptions"] }) {
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

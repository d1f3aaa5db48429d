/** The questions that wait, each with its evidence and one button. */
import { dateTime } from "../../../format.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { announcement } from "../../kit/announcement.ts";
import { type Overview, readQuestions } from "./questions.ts";

const text = consoleTexts(({ overview }) => overview.questions);

export function QuestionList({ overview }: { overview: Overview }) {
  const t = text.value;
  const load = useLoad((signal) => readQuestions(overview, signal), [overview.at, announcement.value, t]);
  return (
    <Loaded load={load}>
      {(questions) => (
        <section aria-label={t.waiting(questions.length)}>
          <h2 class="questions-head">{t.waiting(questions.length)}</h2>
          {questions.length === 0 ? <p class="notice">{t.none}</p> : (
            <ol class="questions">
              {questions.map(({ kind, title, evidence, since, button, path, query }, nth) => (
                <li key={`${kind} ${title}`}>
                  <span class="small">{t.kinds[kind]}</span>
                  <div>
                    <strong>{title}</strong>
                    {evidence && <p class="small">{evidence}</p>}
                  </div>
                  <span class="small questions-since">{since && dateTime(since)}</span>
                  <a
                    class={`button${nth === 0 ? " primary" : ""}`}
                    href={href(path, query)}
                    aria-label={`${button}: ${title}`}
                  >
                    {button}
                  </a>
                </li>
              ))}
            </ol>
          )}
        </section>
      )}
    </Loaded>
  );
}

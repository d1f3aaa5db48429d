/** The texts of support tickets in the console. */
import { texts } from "../../../language.ts";

export const text = texts({
  en: {
    empty: "No ticket waits for an answer.",
    status: "Status",
    waiting: "Open",
    category: "About",
    messages: "Messages",
    newest: "Newest message",
    conversation: "Conversation",
    file: (n: number) => `File ${n}`,
    answer: "Answer",
    send: "Send the answer",
    answered: "Answered.",
    close: "Close the ticket",
    closed: "Closed.",
    by: "by",
  },
  ja: {
    empty: "回答待ちの問い合わせはありません。",
    status: "状態",
    waiting: "回答待ち",
    category: "種類",
    messages: "メッセージ数",
    newest: "最新のメッセージ",
    conversation: "やり取り",
    file: (n: number) => `ファイル${n}`,
    answer: "回答",
    send: "回答を送る",
    answered: "回答しました。",
    close: "完了にする",
    closed: "完了にしました。",
    by: "利用者:",
  },
});

import { route } from "../_shared/http/route.ts";
import { ExpEntries, ExpEntriesQuery, MyExp } from "./exp.schema.ts";

export const readMyExp = route({
  method: "GET",
  path: "/me/exp",
  access: "user",
  summary: "Read the caller's experience points and level",
  reply: [200, MyExp],
  errors: [],
  handle: ({ db }) => db.rpc("my_exp"),
});

export const listMyExpEntries = route({
  method: "GET",
  path: "/me/exp/history",
  access: "user",
  summary: "List what the caller was given points for",
  description:
    "Newest first. What is undone, as a review that is hidden, is an entry of its own with a negative amount.",
  query: ExpEntriesQuery,
  reply: [200, ExpEntries],
  errors: [],
  handle: ({ db, query }) => db.rpc("list_my_exp_entries", query),
});

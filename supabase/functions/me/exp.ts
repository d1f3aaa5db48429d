import { route } from "../_shared/http/route.ts";
import { PageQuery } from "../_shared/schema/lists.ts";
import { ExpEntries, MyExp } from "./exp.schema.ts";

export const readMyExp = route({
  method: "GET",
  path: "/me/exp",
  access: "user",
  summary: "Get the caller's experience points and level",
  description: "`next_level_exp` and `exp_to_next_level` are null at the highest level.",
  reply: [200, MyExp],
  errors: [],
  calls: "my_exp",
});

export const listMyExpEntries = route({
  method: "GET",
  path: "/me/exp/history",
  access: "user",
  summary: "List the caller's experience point entries",
  description: "Newest first. Undoing an entry, for example for a hidden review, adds an entry with a negative amount.",
  query: PageQuery,
  reply: [200, ExpEntries],
  errors: [],
  calls: "list_my_exp_entries",
});

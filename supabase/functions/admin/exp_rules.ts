import { route } from "../_shared/http/route.ts";
import { ExpRule, ExpRuleParams, ExpRules, ExpRuleUpdate, NewExpRule } from "./exp_rules.schema.ts";
import { AdminRewardsQuery } from "./rewards.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listExpRules = route({
  method: "GET",
  path: "/admin/exp-rules",
  access: "admin",
  area: "rewards",
  summary: "List what experience points (EXP) are given for",
  description: "Also inactive rules, in the order in which they were created.",
  query: AdminRewardsQuery,
  reply: [200, ExpRules],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_exp_rules", query),
});

export const createExpRule = route({
  method: "POST",
  path: "/admin/exp-rules",
  access: "admin",
  area: "rewards",
  summary: "Create an EXP rule",
  description: "It counts from then on. There is one rule for each cause.",
  body: NewExpRule,
  reply: [201, ExpRule],
  errors: ["conflict"],
  handle: ({ db, body }) => db.rpc("admin_create_exp_rule", { fields: body }),
});

export const readExpRule = route({
  method: "GET",
  path: "/admin/exp-rules/{id}",
  access: "admin",
  area: "rewards",
  summary: "Read an EXP rule",
  params: ExpRuleParams,
  reply: [200, ExpRule],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_read_exp_rule", { id: params.id }),
});

export const updateExpRule = route({
  method: "PATCH",
  path: "/admin/exp-rules/{id}",
  access: "admin",
  area: "rewards",
  summary: "Change an EXP rule, or deactivate it",
  description: "It counts from then on; what was given stays. The cause of a rule does not change.",
  params: ExpRuleParams,
  body: ExpRuleUpdate,
  reply: [200, ExpRule],
  errors: ["not_found", "precondition_failed"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_exp_rule", { id: params.id, changes: body, if_match: ifMatch }),
});

export const deleteExpRule = route({
  method: "DELETE",
  path: "/admin/exp-rules/{id}",
  access: "admin",
  area: "rewards",
  summary: "Delete an EXP rule",
  description: "Nothing is given for its cause from then on; what was given stays.",
  params: ExpRuleParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  handle: ({ db, params }) => db.rpc("admin_delete_exp_rule", { id: params.id }),
});

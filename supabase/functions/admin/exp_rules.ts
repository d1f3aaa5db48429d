import { route } from "../_shared/http/route.ts";
import { ExpRule, ExpRuleParams, ExpRules, ExpRuleUpdate, NewExpRule } from "./exp_rules.schema.ts";
import { AdminRewardsQuery } from "./rewards.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listExpRules = route({
  method: "GET",
  path: "/admin/exp-rules",
  access: "admin",
  area: "rewards",
  summary: "List experience point (EXP) rules",
  description: "Includes inactive rules, in order of creation.",
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
  description: "The rule applies from then on. Each cause has one rule.",
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
  summary: "Get an EXP rule",
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
  summary: "Update or deactivate an EXP rule",
  description:
    "The change applies from then on, and points given before do not change. The cause of a rule cannot change.",
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
  description: "From then on its cause gives no points. Points given before do not change.",
  params: ExpRuleParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  handle: ({ db, params }) => db.rpc("admin_delete_exp_rule", { id: params.id }),
});

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
  calls: "admin_list_exp_rules",
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
  calls: "admin_create_exp_rule",
  args: ({ body }) => ({ fields: body }),
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
  calls: "admin_read_exp_rule",
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
  calls: "admin_update_exp_rule",
  args: ({ params, body, ifMatch }) => ({ id: params.id, changes: body, if_match: ifMatch }),
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
  calls: "admin_delete_exp_rule",
});

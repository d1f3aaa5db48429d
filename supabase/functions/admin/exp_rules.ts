import { contentRoutes } from "./content_routes.ts";
import { ExpRule, ExpRuleParams, ExpRules, ExpRuleUpdate, NewExpRule } from "./exp_rules.schema.ts";
import { AdminRewardsQuery } from "./rewards.schema.ts";

export const {
  list: listExpRules,
  create: createExpRule,
  read: readExpRule,
  change: updateExpRule,
  remove: deleteExpRule,
} = contentRoutes({
  path: "/admin/exp-rules",
  area: "rewards",
  params: ExpRuleParams,
  item: ExpRule,
  list: {
    calls: "admin_list_exp_rules",
    query: AdminRewardsQuery,
    page: ExpRules,
    summary: "List experience point (EXP) rules",
    description: "Includes inactive rules, in order of creation.",
  },
  create: {
    calls: "admin_create_exp_rule",
    as: "fields",
    body: NewExpRule,
    errors: ["conflict"],
    summary: "Create an EXP rule",
    description: "The rule applies from then on. Each cause has one rule.",
  },
  read: { calls: "admin_read_exp_rule", summary: "Get an EXP rule" },
  change: {
    calls: "admin_update_exp_rule",
    body: ExpRuleUpdate,
    summary: "Update or deactivate an EXP rule",
    description:
      "The change applies from then on, and points given before do not change. The cause of a rule cannot change.",
  },
  remove: {
    calls: "admin_delete_exp_rule",
    isVersioned: false,
    summary: "Delete an EXP rule",
    description: "From then on its cause gives no points. Points given before do not change.",
  },
});

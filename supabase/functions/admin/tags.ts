import { route } from "../_shared/http/route.ts";
import { AdminTag, AdminTagParams, AdminTags, AdminTagsQuery, NewTag, TagChanges } from "./tags.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listTagsOfAllStates = route({
  method: "GET",
  path: "/admin/tags",
  access: "admin",
  area: "content",
  summary: "List tags, offered or not",
  description: "By `sort_order` and `slug`, with both names.",
  query: AdminTagsQuery,
  reply: [200, AdminTags],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_tags", query),
});

export const createTag = route({
  method: "POST",
  path: "/admin/tags",
  access: "admin",
  area: "content",
  summary: "Create a tag",
  description: "409 with `details.reason` `already_exists` where another tag has the `slug`.",
  body: NewTag,
  reply: [201, AdminTag],
  errors: ["conflict"],
  handle: ({ db, body }) => db.rpc("admin_create_tag", { tag: body }),
});

export const readTagOfAnyState = route({
  method: "GET",
  path: "/admin/tags/{id}",
  access: "admin",
  area: "content",
  summary: "Read a tag, offered or not",
  params: AdminTagParams,
  reply: [200, AdminTag],
  errors: ["not_found"],
  isVersioned: true,
  handle: ({ db, params }) => db.rpc("admin_get_tag", params),
});

export const changeTag = route({
  method: "PATCH",
  path: "/admin/tags/{id}",
  access: "admin",
  area: "content",
  summary: "Change or withdraw a tag",
  description:
    "What is absent stays; `slug` never changes. `is_active` `false` takes it out of the master list: lots " +
    "that have it still show it, and filters that name it still work. Attributes of searches are always offered: 409 " +
    "with `details.reason` `search_attribute`. Clients may keep the public list for five minutes.",
  params: AdminTagParams,
  body: TagChanges,
  reply: [200, AdminTag],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, body, ifMatch }) =>
    db.rpc("admin_update_tag", { ...params, changes: body, if_match: ifMatch }),
});

export const deleteTag = route({
  method: "DELETE",
  path: "/admin/tags/{id}",
  access: "admin",
  area: "content",
  summary: "Delete a tag that no lot has",
  description: "409 with `details.reason` `in_use` or `search_attribute` for any other.",
  params: AdminTagParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  handle: ({ db, params, ifMatch }) => db.rpc("admin_delete_tag", { ...params, if_match: ifMatch }),
});

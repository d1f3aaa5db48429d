import { route } from "../_shared/http/route.ts";
import { AdminTag, AdminTagParams, AdminTags, AdminTagsQuery, NewTag, TagChanges } from "./tags.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listTagsOfAllStates = route({
  method: "GET",
  path: "/admin/tags",
  access: "admin",
  area: "content",
  summary: "List tags, including inactive ones",
  description: "Sorted by `sort_order` and `slug`, with both names.",
  query: AdminTagsQuery,
  reply: [200, AdminTags],
  errors: [],
  calls: "admin_list_tags",
});

export const createTag = route({
  method: "POST",
  path: "/admin/tags",
  access: "admin",
  area: "content",
  summary: "Create a tag",
  description: "Returns 409 `conflict` with `details.reason` `already_exists` if another tag has the `slug`.",
  body: NewTag,
  reply: [201, AdminTag],
  errors: ["conflict"],
  calls: "admin_create_tag",
  args: ({ body }) => ({ tag: body }),
});

export const readTagOfAnyState = route({
  method: "GET",
  path: "/admin/tags/{id}",
  access: "admin",
  area: "content",
  summary: "Get a tag, active or not",
  params: AdminTagParams,
  reply: [200, AdminTag],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_tag",
});

export const changeTag = route({
  method: "PATCH",
  path: "/admin/tags/{id}",
  access: "admin",
  area: "content",
  summary: "Update or withdraw a tag",
  description:
    "Omitted fields do not change, and `slug` can never change. `is_active` false removes the tag from the public " +
    "list. Lots with the tag still show it, and filters with the tag still work. Tags that are search attributes " +
    "cannot be withdrawn: 409 `conflict` with `details.reason` `search_attribute`. Clients may cache the public " +
    "list for five minutes.",
  params: AdminTagParams,
  body: TagChanges,
  reply: [200, AdminTag],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_update_tag",
  args: ({ params, body, ifMatch }) => ({ ...params, changes: body, if_match: ifMatch }),
});

export const deleteTag = route({
  method: "DELETE",
  path: "/admin/tags/{id}",
  access: "admin",
  area: "content",
  summary: "Delete an unused tag",
  description: "Returns 409 `conflict` with `details.reason` `in_use` or `search_attribute` for any other tag.",
  params: AdminTagParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_delete_tag",
});

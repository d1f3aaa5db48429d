import { contentRoutes } from "./content_routes.ts";
import { AdminTag, AdminTagParams, AdminTags, AdminTagsQuery, NewTag, TagChanges } from "./tags.schema.ts";

export const {
  list: listTagsOfAllStates,
  create: createTag,
  read: readTagOfAnyState,
  change: changeTag,
  remove: deleteTag,
} = contentRoutes({
  path: "/admin/tags",
  area: "content",
  params: AdminTagParams,
  item: AdminTag,
  list: {
    calls: "admin_list_tags",
    query: AdminTagsQuery,
    page: AdminTags,
    summary: "List tags, including inactive ones",
    description: "Sorted by `sort_order` and `slug`, with both names.",
  },
  create: {
    calls: "admin_create_tag",
    as: "tag",
    body: NewTag,
    errors: ["conflict"],
    summary: "Create a tag",
    description: "Returns 409 `conflict` with `details.reason` `already_exists` if another tag has the `slug`.",
  },
  read: { calls: "admin_get_tag", summary: "Get a tag, active or not" },
  change: {
    calls: "admin_update_tag",
    body: TagChanges,
    errors: ["conflict"],
    summary: "Update or withdraw a tag",
    description:
      "Omitted fields do not change, and `slug` can never change. `is_active` false removes the tag from the public " +
      "list. Lots with the tag still show it, and filters with the tag still work. Tags that are search attributes " +
      "cannot be withdrawn: 409 `conflict` with `details.reason` `search_attribute`. Clients may cache the public " +
      "list for five minutes.",
  },
  remove: {
    calls: "admin_delete_tag",
    errors: ["conflict"],
    summary: "Delete an unused tag",
    description: "Returns 409 `conflict` with `details.reason` `in_use` or `search_attribute` for any other tag.",
  },
});

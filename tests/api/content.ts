// The resources of the area content, as the tests of the console try them: what each is made of, and what it rejects.
export interface Resource {
  readonly path: string;
  /** The `target_type` of its acts; their actions begin with it. */
  readonly target: string;
  /** The field that its own path ends in. */
  readonly key: string;
  /** A body that creates one; each call makes another. */
  body(): Record<string, unknown>;
  /** A change of one of them, and the field that differs. */
  readonly change: Record<string, unknown>;
  /** Values that a field does not take. */
  readonly wrong: readonly (readonly [field: string, value: unknown])[];
  /** Whether one that was just created may be deleted. */
  readonly isDeletable: boolean;
}

const unique = () => crypto.randomUUID().slice(0, 8);
export const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
export const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();

export const articles: Resource = {
  path: "/admin/articles",
  target: "article",
  key: "id",
  body: () => ({ slug: `article-${unique()}`, locale: "en", title: "Title", body: "# Body", tags: ["fees"] }),
  change: { title: "Another title" },
  wrong: [
    ["slug", "Two Words"],
    ["slug", null],
    ["locale", "fr"],
    ["title", ""],
    ["title", "a".repeat(201)],
    ["summary", "a".repeat(501)],
    ["body", null],
    ["cover_image_url", "javascript:alert(1)"],
    ["tags", ["a", 5]],
    ["tags", Array(21).fill("a")],
    ["published_at", "2026-09-01"],
    ["published_at", "infinity"],
  ],
  isDeletable: true,
};

export const ads: Resource = {
  path: "/admin/ads",
  target: "ad",
  key: "id",
  body: () => ({ placement: "map", title: `Ad ${unique()}`, starts_at: tomorrow(), link_url: "https://example.com/" }),
  change: { weight: 250 },
  wrong: [
    ["placement", "wall"],
    ["title", ""],
    ["title", "a".repeat(101)],
    ["body", "a".repeat(501)],
    ["image_url", "ftp://example.com/a.png"],
    ["link_url", "https://example.com/駐"],
    ["weight", 0],
    ["weight", 1.5],
    ["weight", "100"],
    ["starts_at", "tomorrow"],
    ["ends_at", "2020-01-01T00:00:00Z"],
    ["is_active", null],
  ],
  isDeletable: true,
};

export const resources: readonly Resource[] = [articles, ads];

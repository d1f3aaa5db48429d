/** What a page of the application gets. */

export interface PageProps {
  /** The parts of the path after the name of the page: `["555c77e1-…"]` for `/lots/555c77e1-…`. */
  readonly parts: readonly string[];
}

/// <reference lib="dom" />
/** Style sheets that come with the module that needs them, so that the first page does not wait for them. */

/** Adds a style sheet of the application. */
export function addStyle(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}

/** Adds the style sheet of a library. Every rule of the application counts more. */
export function addLibraryStyle(css: string): void {
  addStyle(`@layer library {${css}}`);
}

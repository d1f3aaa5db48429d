/// <reference lib="dom" />
// Shows the contract with Scalar, whose bundle the page has loaded. Everything that would leave the site is off.

interface Operation {
  readonly operationId: string;
}

declare const Scalar: {
  createApiReference(element: HTMLElement, configuration: Readonly<Record<string, unknown>>): unknown;
};

const element = document.getElementById("content")!;

Scalar.createApiReference(element, {
  url: "openapi.json",
  servers: [{ url: `${element.dataset["api"]}/functions` }],
  telemetry: false,
  withDefaultFonts: false,
  proxyUrl: "",
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  hideDarkModeToggle: true,
  documentDownloadType: "none",
  // The addresses that the search leads to.
  generateOperationSlug: ({ operationId }: Operation) => operationId,
  generateTagSlug: ({ name }: { name: string }) => name,
});

// Its buttons for copying have an icon and no name.
new MutationObserver(() => {
  for (const button of element.querySelectorAll(".group\\/copy-button:not([aria-label])")) {
    button.setAttribute("aria-label", "Copy");
  }
}).observe(element, { childList: true, subtree: true });

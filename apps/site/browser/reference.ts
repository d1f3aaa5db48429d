/// <reference lib="dom" />
// Shows the contract with Scalar, whose bundle the page has loaded. Everything that would leave the site is off.
import { type Contract, withSamples } from "../code_samples.ts";

interface Operation {
  readonly operationId: string;
  readonly path: string;
}

declare const Scalar: {
  createApiReference(element: HTMLElement, configuration: Readonly<Record<string, unknown>>): {
    updateConfiguration(configuration: Readonly<Record<string, unknown>>): void;
  };
};

const element = document.getElementById("content")!;

const server = `${element.dataset["api"] || location.origin}/functions`;
// The contract with its examples, and with the texts of operations that no app uses.
const contract: Contract = await (await fetch("complete.json")).json();

const configuration = {
  content: withSamples(contract, server),
  servers: [{ url: server }],
  // The samples of the contract are the only ones.
  hiddenClients: true,
  operationsSorter: (one: Operation, other: Operation) => one.path < other.path ? -1 : one.path > other.path ? 1 : 0,
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
};

const reference = Scalar.createApiReference(element, configuration);

// The token of a sample person (sample_people.ts), for requests from the page.
addEventListener("token", ({ detail: token }: CustomEventInit<string>) => {
  const authentication = { preferredSecurityScheme: "bearer", securitySchemes: { bearer: { token } } };
  reference.updateConfiguration({ ...configuration, authentication });
});

// Its buttons for copying have an icon and no name.
new MutationObserver(() => {
  for (const button of element.querySelectorAll(".group\\/copy-button:not([aria-label])")) {
    button.setAttribute("aria-label", "Copy");
  }
}).observe(element, { childList: true, subtree: true });

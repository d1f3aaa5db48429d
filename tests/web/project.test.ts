// The project that the application talks to.
import assert from "node:assert/strict";
import { projectOf } from "../../apps/web/src/project.ts";

const at = (url: string) => new URL(url) as unknown as Location;
const settings = { api: "https://p.example", key: "k" };
const named = "?api=https://p.evil.example&key=e";

for (
  const [address, project] of [
    ["https://park.example/explore/", settings],
    [`https://park.example/explore/${named}`, settings],
    [`https://localhost.evil.example/${named}`, settings],
    [`https://127.0.0.1.evil.example/${named}`, settings],
    [`http://localhost:28500/explore/${named}`, { api: "https://p.evil.example", key: "e" }],
    [`http://127.0.0.1:28500/explore/${named}`, { api: "https://p.evil.example", key: "e" }],
    [`http://[::1]:28500/explore/${named}`, { api: "https://p.evil.example", key: "e" }],
    ["http://localhost:28500/explore/", settings],
  ] as const
) {
  Deno.test(`project: at ${address} it is ${project.api}`, () => {
    assert.deepEqual(projectOf(settings, at(address)), project);
  });
}

Deno.test("project: settings without an address mean the page's own origin", () => {
  assert.equal(projectOf({ api: "", key: "k" }, at("https://park.example/explore/")).api, "https://park.example");
});

/// <reference lib="dom" />
// On a local platform: signs in as a sample person and gives the token to the reference. `/` of the platform lists them.

interface Platform {
  readonly keys: { readonly publishable: string };
  readonly sample_people: readonly { email: string; description: string; password: string }[];
}

const select = document.querySelector<HTMLSelectElement>("#person")!;

const platform: Platform = await (await fetch("/", { headers: { accept: "application/json" } })).json();
for (const { email, description } of platform.sample_people) {
  select.append(new Option(`${email} (${description})`, email));
}
select.hidden = platform.sample_people.length === 0;

select.addEventListener("change", async () => {
  select.setCustomValidity("");
  try {
    give(select.value === "" ? "" : await tokenOf(select.value));
  } catch (error) {
    give("");
    select.setCustomValidity(String(error));
    select.reportValidity();
  }
});

async function tokenOf(address: string): Promise<string> {
  const { email, password } = platform.sample_people.find((person) => person.email === address)!;
  const response = await fetch("/auth/v1/token?grant_type=password", {
    method: "POST",
    headers: { "apikey": platform.keys.publishable, "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(`${email} could not sign in: ${reply.msg ?? response.status}`);
  return reply.access_token;
}

function give(token: string): void {
  dispatchEvent(new CustomEvent("token", { detail: token }));
}

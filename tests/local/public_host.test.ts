// LOCAL_HOST: a phone or an emulator knows this machine by another name, and every address it is given begins with that.
import { strict as assert } from "node:assert";
import { createClient } from "@supabase/supabase-js";
import { listenAddress } from "../../local/settings.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { picture, put } from "../support/files.ts";
import { verifyAddress } from "../support/mail_links.ts";

Deno.test("LOCAL_HOST: URLs of uploads, files, errors and mails begin with it, and signatures are valid", async () => {
  await using platform = await crashPlatform({ host: "localhost", authRules: "hosted" });
  const url = platform.status.API_URL.replace("127.0.0.1", "localhost");
  const supabase = createClient(url, platform.status.PUBLISHABLE_KEY, {
    auth: { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false },
  });
  const email = `${crypto.randomUUID()}@example.com`;
  const signed = await supabase.auth.signUp({ email, password: "password 1" });
  assert.deepEqual([signed.error, signed.data.session], [null, null]);
  const mails = await (await fetch(`${url}/_mail?to=${email}`, { headers: { accept: "application/json" } })).json();
  assert.ok(mails[0].link.startsWith(`${url}/explore/#/link?`), mails[0].link);
  const followed = await fetch(verifyAddress(url, mails[0].link), { redirect: "manual" });
  assert.ok(followed.headers.get("location")!.startsWith(`${url}/explore/#access_token=`));
  await followed.body?.cancel();
  await supabase.auth.signInWithPassword({ email, password: "password 1" });

  const bytes = picture("image/png", 70);
  const upload = await supabase.functions.invoke("storage/upload-url", {
    body: {
      file_name: "a.png",
      file_size: bytes.length,
      mime_type: "image/png",
      category: "review",
      is_public: true,
    },
  });
  assert.equal(upload.error, null);
  const { upload_url, public_url } = upload.data;
  for (const address of [upload_url, public_url]) assert.ok(address.startsWith(`${url}/storage/v1/`), address);
  assert.equal(await put(upload_url, bytes, "image/png"), 200);
  const elsewhere = upload_url.replace("localhost", "127.0.0.1");
  assert.equal(await put(elsewhere, bytes, "image/png"), 403);
  const refused = await (await fetch(`${url}/v1/me`)).json();
  assert.ok(refused.error.doc_url.startsWith(`${url}/functions/`), refused.error.doc_url);
});

Deno.test("LOCAL_HOST: the platform listens on the network only for a host name of the network", () => {
  for (const host of ["127.0.0.1", "localhost", "10.0.2.2", "10.0.3.2"]) assert.equal(listenAddress(host), "127.0.0.1");
  for (const host of ["192.168.1.5", "my-laptop.local", "10.0.2.20"]) assert.equal(listenAddress(host), "0.0.0.0");
});

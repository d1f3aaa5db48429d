/** The profile: name, picture, language of notifications. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { MeUpdate } from "../../bounds.ts";
import { label } from "../../codes.ts";
import { date } from "../../format.ts";
import { type Language, LANGUAGES } from "../../language.ts";
import { PHOTO_TYPES } from "../../photos.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Field, Form, Select } from "../../ui/form.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";

type Me = components["schemas"]["Me"];

const text = pageTexts(({ account }) => account.profile);

export function Profile() {
  const load = useLoad(async (signal) => (await client.GET("/v1/me", { signal })).data, []);
  return <Loaded load={load}>{(me) => <ProfileForm me={me} onSaved={load.reload} />}</Loaded>;
}

function ProfileForm({ me, onSaved }: { me: Me; onSaved: () => void }) {
  const t = text.value;
  const [news, setNews] = useState("");
  const { app_user } = me;
  if (app_user === null) return <p class="notice">{t.noUser}</p>;

  const save = async (values: FormData) => {
    setNews("");
    const picture = values.get("avatar_asset_id");
    const asset = picture instanceof File && picture.size > 0 ? await upload(picture) : undefined;
    const body = {
      display_name: String(values.get("display_name") ?? ""),
      lang: values.get("lang") as Language,
      ...(asset === undefined ? {} : { avatar_asset_id: asset }),
    };
    await client.PATCH("/v1/me", { body });
    setNews(t.saved);
    onSaved();
  };
  const upload = (file: File) =>
    client.upload(file, {
      file_name: file.name,
      category: "avatar",
      onProgress: (sent, total) => setNews(t.uploading(Math.round(sent / total * 100))),
    });

  return (
    <>
      <AccountFacts me={me} user={app_user} />
      {app_user.avatar_url && <img class="account-picture" src={app_user.avatar_url} alt={t.picture} />}
      <Form submit={t.save} onSubmit={save}>
        <Field
          name="display_name"
          label={t.name}
          hint={t.nameHint}
          {...MeUpdate.display_name}
          defaultValue={app_user.display_name ?? ""}
        />
        <Select name="lang" label={t.language} options={Object.entries(LANGUAGES)} defaultValue={app_user.lang} />
        <Field
          name="avatar_asset_id"
          label={t.picture}
          hint={t.pictureHint}
          type="file"
          accept={PHOTO_TYPES}
        />
      </Form>
      <p role="status">{news}</p>
    </>
  );
}

function AccountFacts({ me, user }: { me: Me; user: NonNullable<Me["app_user"]> }) {
  const t = text.value;
  const { email, permission_scopes } = me;
  return (
    <dl class="account-facts">
      <dt>{t.email}</dt>
      <dd>{email}</dd>
      <dt>{t.since}</dt>
      <dd>{date(user.created_at)}</dd>
      <dt>{t.status}</dt>
      <dd>
        {label("app_user_status", user.status)}
        {permission_scopes.includes("premium") && <span class="chip">{t.premium}</span>}
      </dd>
    </dl>
  );
}

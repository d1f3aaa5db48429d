/** The lines of an NDJSON body as values. At most one line and one chunk are in memory. */
export async function* jsonLines(response: Response): AsyncGenerator<unknown, void, undefined> {
  // React Native's fetch has no streams: the whole body is in memory there.
  const chunks = response.body ? chunksOf(response.body) : [await response.text()];
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line !== "") yield JSON.parse(line);
  }
  if (rest !== "") yield JSON.parse(rest);
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let done = false;
  try {
    while (!done) {
      const chunk = await reader.read();
      done = chunk.done;
      yield decoder.decode(chunk.value, { stream: !done });
    }
  } finally {
    // The caller left the loop: the rest of the response is not read.
    if (!done) await reader.cancel().catch(() => {});
  }
}

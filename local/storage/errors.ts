// Errors of the S3 protocol: a status and XML.

export class S3Error extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export function errorResponse({ status, code, message, headers }: S3Error, resource: string): Response {
  const fields = { Code: code, Message: message, Resource: resource, RequestId: crypto.randomUUID() };
  const inside = Object.entries(fields).map(([name, value]) => `<${name}>${escaped(value)}</${name}>`).join("");
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${inside}</Error>`;
  return new Response(xml, { status, headers: { ...headers, "content-type": "application/xml" } });
}

function escaped(text: string): string {
  return text.replaceAll(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

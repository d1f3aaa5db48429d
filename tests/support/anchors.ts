/** The anchors of the headings of a page's text, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  return new Set(
    [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-")
    ),
  );
}

// The lines of a text that arrives in parts.

/** Divides a stream of text at its line breaks. The break at the end makes no empty line. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(part, controller) {
        const lines = (rest + part).split("\n");
        rest = lines.pop()!;
        for (const line of lines) controller.enqueue(line);
      },
      flush(controller) {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}

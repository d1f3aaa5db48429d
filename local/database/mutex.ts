// Tasks with the same key run one after the other.

export class Mutex {
  readonly #last = new Map<string, Promise<unknown>>();

  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    this.#last.set(key, result);
    const forget = () => this.#last.get(key) === result && this.#last.delete(key);
    result.then(forget, forget);
    return result;
  }
}

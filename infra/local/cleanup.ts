/** Stops what was started, in reverse order. */
export class Cleanup {
  readonly #stops: (() => Promise<void>)[] = [];

  /** Registers a function that stops what was just started. */
  add(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  /** Stops everything that was registered. A failure is printed and does not keep the rest from being stopped. */
  async run(): Promise<void> {
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      await stop().catch((error: unknown) => console.error(error));
    }
  }
}

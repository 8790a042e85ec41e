/** Things that were started, to be stopped in the opposite order. */
export class Stops {
  readonly #stops: (() => Promise<void>)[] = [];

  /** Remembers how to stop what was just started. */
  add(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  /** Stops everything that runs by now; what fails to stop does not keep the rest from stopping. */
  async run(): Promise<void> {
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      await stop().catch((error: unknown) => console.error(error));
    }
  }
}

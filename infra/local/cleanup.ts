/** Things that were started, to be stopped in the opposite order. */
export class Cleanup {
  readonly #cleanup: (() => Promise<void>)[] = [];

  /** Remembers how to stop what was just started. */
  add(stop: () => Promise<void>): void {
    this.#cleanup.push(stop);
  }

  /** Cleanup everything that runs by now; what fails to stop does not keep the rest from stopping. */
  async run(): Promise<void> {
    for (let stop = this.#cleanup.pop(); stop !== undefined; stop = this.#cleanup.pop()) {
      await stop().catch((error: unknown) => console.error(error));
    }
  }
}

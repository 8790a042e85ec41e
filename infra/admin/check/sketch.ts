/** Hashes that are kept; of larger sets they are a sample. */
const MAX_HASHES = 100_000;

/** A set of texts, as the hashes of a sample of them: a few MB, however many they are. */
export class Sketch {
  /** all hashes that are multiples of the step, a power of two */
  #hashes = new Set<number>();
  #step = 1;

  add(text: string): void {
    const hash = hashOf(text);
    if (hash % this.#step === 0) this.#hashes.add(hash);
    while (this.#hashes.size > MAX_HASHES) {
      this.#step *= 2;
      this.#hashes = new Set([...this.#hashes].filter((one) => one % this.#step === 0));
    }
  }

  /** About how many texts are in this set and not in another one: exact up to 100,000 texts, but for equal hashes. */
  countWithout(other: Sketch): number {
    const step = Math.max(this.#step, other.#step);
    return step * [...this.#hashes].filter((one) => one % step === 0 && !other.#hashes.has(one)).length;
  }
}

/** FNV-1a, its bits mixed as by MurmurHash. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

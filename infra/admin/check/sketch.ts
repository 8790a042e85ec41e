const BITS = 2 ** 26;

/** A set of texts as bits of their hashes: 8 MB, however many they are. */
export class Sketch {
  readonly #bits = new Uint32Array(BITS / 32);

  add(text: string): void {
    const bit = hashOf(text) % BITS;
    const place = Math.floor(bit / 32);
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (bit % 32));
  }

  /**
   * About how many texts are in this set and not in another one. Texts that share a bit with one of the other set are
   * estimated from its load; 0 only if there is no text whose bit the other set lacks.
   */
  countWithout(other: Sketch): number {
    let alone = 0;
    let load = 0;
    for (const [place, word] of this.#bits.entries()) {
      const theirs = other.#bits[place] ?? 0;
      if (theirs !== 0) load += ones(theirs);
      if (word !== 0) alone += ones(word & ~theirs);
    }
    return Math.round(alone / (1 - Math.min(load / BITS, 0.9)));
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

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

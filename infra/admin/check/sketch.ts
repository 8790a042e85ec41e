const BITS = 2 ** 26;

/** Up to so many bits are listed instead: small sets need little memory, and are compared without reading all bits. */
const MAX_LISTED = 100_000;

/** A set of texts as bits of their hashes: at most 8 MB, however many they are. */
export class Sketch {
  #listed: Set<number> | undefined = new Set();
  #bits = new Uint32Array(0);
  #count = 0;

  add(text: string): void {
    const bit = hashOf(text) % BITS;
    if (this.#has(bit)) return;
    this.#count += 1;
    if (this.#listed === undefined) this.#set(bit);
    else this.#listed.add(bit);
    if (this.#listed !== undefined && this.#count > MAX_LISTED) this.#unlist(this.#listed);
  }

  #unlist(listed: ReadonlySet<number>): void {
    this.#bits = new Uint32Array(BITS / 32);
    for (const bit of listed) this.#set(bit);
    this.#listed = undefined;
  }

  #set(bit: number): void {
    const place = Math.floor(bit / 32);
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (bit % 32));
  }

  #has = (bit: number): boolean =>
    this.#listed?.has(bit) ?? ((this.#bits[Math.floor(bit / 32)] ?? 0) & (1 << (bit % 32))) !== 0;

  /**
   * About how many texts are in this set and not in another one. Texts that share a bit with one of the other set are
   * estimated from its load; 0 only if there is no text whose bit the other set lacks.
   */
  countWithout(other: Sketch): number {
    let alone = 0;
    if (this.#listed === undefined) {
      for (let bit = 0; bit < BITS; bit += 1) if (this.#has(bit) && !other.#has(bit)) alone += 1;
    } else {
      for (const bit of this.#listed) if (!other.#has(bit)) alone += 1;
    }
    return Math.round(alone / (1 - Math.min(other.#count / BITS, 0.9)));
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

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Bytes of a file, from `start` to before `end`. */
export interface FileRange {
  start: number;
  end: number;
}

/** An element of `bugs`, as JSON, in which the data of attachments is replaced by empty strings. */
export interface ScannedBug {
  json: Buffer;
  /** where the data is, as JSON strings, by the index of the attachment */
  data: Map<number, FileRange>;
}

/** An array or object that is open. */
interface Frame {
  isObject: boolean;
  /** of the array */
  index: number;
  /** of the object: the last one, and whether another follows */
  key: string;
  expectsKey: boolean;
}

const MAX_KEY_BYTES = 20;

/**
 * Divides the JSON of a catalogue into its bugs and the rest, which has `0` for each bug, while it is read: memory holds
 * one bug without the data of its attachments. Wrong JSON remains wrong, in a bug or in the rest.
 */
export class BugScanner {
  readonly #stack: Frame[] = [];
  readonly #rest: Buffer[] = [];
  #bug: { json: Buffer[]; data: Map<number, FileRange> } | undefined;
  #string: { isKey: boolean; key: Buffer[]; start: number; isData: boolean } | undefined;
  #isEscaped = false;
  #offset = 0;

  /** The JSON without the bugs, when all of the file was scanned. */
  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Scans the next part of the file, and returns the bugs that end in it. */
  *scan(chunk: Buffer): Generator<ScannedBug> {
    /** Where what was not yet copied begins. */
    let from = 0;
    const copyUntil = (until: number) => {
      const part = chunk.subarray(from, until);
      from = until;
      if (part.length === 0 || this.#string?.isData) return;
      // Copied, because it would keep the whole chunk in memory.
      (this.#bug?.json ?? this.#rest).push(Buffer.from(part));
    };
    let at = 0;
    while (at < chunk.length) {
      if (this.#string !== undefined) {
        const end = this.#endOfString(chunk, at);
        if (this.#string.isKey) this.#string.key.push(chunk.subarray(at, end));
        at = end;
        if (at === chunk.length) break;
        if (this.#string.isData) {
          const range = { start: this.#string.start, end: this.#offset + at + 1 };
          this.#bug?.data.set(this.#stack[3]?.index ?? 0, range);
          this.#bug?.json.push(Buffer.from('""'));
          from = at + 1;
        }
        this.#endString();
        at += 1;
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (this.#isBetweenBugs() && !isSpace(byte)) {
        const isEnd = byte === COMMA || byte === CLOSE_ARRAY;
        if (isEnd && this.#bug !== undefined) {
          copyUntil(at);
          yield { json: Buffer.concat(this.#bug.json), data: this.#bug.data };
          this.#bug = undefined;
        } else if (!isEnd && this.#bug === undefined) {
          copyUntil(at);
          this.#rest.push(Buffer.from('0'));
          this.#bug = { json: [], data: new Map() };
        }
      }
      if (byte === QUOTE) {
        const isData = this.#isData();
        if (isData) copyUntil(at);
        const isKey = this.#stack.at(-1)?.expectsKey ?? false;
        this.#string = { isKey, key: [], start: this.#offset + at, isData };
      } else {
        this.#structure(byte);
      }
      at += 1;
    }
    copyUntil(chunk.length);
    this.#offset += chunk.length;
  }

  /** The index of the quotation mark that ends the string, or the length of the chunk. */
  #endOfString(chunk: Buffer, start: number): number {
    let at = this.#isEscaped ? start + 1 : start;
    this.#isEscaped = false;
    for (;;) {
      const quote = chunk.indexOf(QUOTE, at);
      const until = quote === -1 ? chunk.length : quote;
      const backslash = chunk.subarray(at, until).indexOf(BACKSLASH);
      if (backslash === -1) return until;
      at += backslash + 2;
      if (at <= chunk.length) continue;
      this.#isEscaped = true;
      return chunk.length;
    }
  }

  #endString(): void {
    const top = this.#stack.at(-1);
    if (this.#string?.isKey && top !== undefined) {
      const key = Buffer.concat(this.#string.key);
      top.key = key.length > MAX_KEY_BYTES ? '' : key.toString();
      top.expectsKey = false;
    }
    this.#string = undefined;
  }

  #structure(byte: number): void {
    const top = this.#stack.at(-1);
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      const isObject = byte === OPEN_OBJECT;
      this.#stack.push({ isObject, index: 0, key: '', expectsKey: isObject });
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#stack.pop();
    } else if (byte === COMMA && top !== undefined) {
      top.index += 1;
      top.expectsKey = top.isObject;
    } else if (byte === COLON && top !== undefined) {
      top.expectsKey = false;
    }
  }

  /** Whether this is the list of the bugs, outside of each. */
  #isBetweenBugs(): boolean {
    const [root, bugs, ...inner] = this.#stack;
    return inner.length === 0 && bugs?.isObject === false && root?.isObject === true && root.key === 'bugs';
  }

  /** Whether a string that begins here is the data of an attachment. */
  #isData(): boolean {
    const [, , bug, attachments, attachment, ...inner] = this.#stack;
    return (
      this.#bug !== undefined &&
      inner.length === 0 &&
      bug?.key === 'attachments' &&
      attachments?.isObject === false &&
      attachment?.key === 'data' &&
      !attachment.expectsKey
    );
  }
}

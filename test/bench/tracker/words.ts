import { Random } from './random.ts';

/** Words for names, tags and texts of a tracker. */
const WORDS =
  `abort access account address agent alarm anchor answer archive argument array attach audit author
backup badge balance banner barrier basket batch battery beacon binary border bottle branch bridge browser buffer
build bundle button cable cache calendar camera cancel canvas carbon catalog channel chapter charge circle client
clock cluster color column command commit compass compile config console contact container cookie copper corner
counter cradle crash cursor custom dashboard database deadlock debug decimal default delay deploy design desktop
device dialog digest display document domain driver dropdown editor element emerald engine error escape event
export factor feature feedback fetch filter finger folder font format frame freeze function garden gateway
geometry glacier graph handle harbor header helper history horizon icon image import index input install invoice
island journal kernel keyboard label ladder lantern latency layer layout ledger leak letter library license limit
linker locale lock logger login magnet mailbox market matrix memory menu message meter migrate mirror mobile
module monitor mountain needinfo network notice object offset option orange order outage output package packet
page panel parser password patch pattern pencil performance picture pipeline pixel planet pointer polish portal
printer privacy process profile project prompt protocol proxy query queue radio random reader record redirect
refresh region registry regression release reminder render replica report request reset resource restore review
river robot rocket router safari sample sandbox scanner schema screen script scroll search security segment server
session shadow shell signal silver simple socket source spinner splash stack status storage stream string style
summary switch symbol syntax system table target template terminal test thread ticket timeout timer toggle token
toolbar tracker traffic transfer tunnel typo unicode update upload usability vector verify version viewer virtual
volume wallet warning watch window wizard worker wrapper yellow zone`.split(/\s+/);

const LONG_TEXT = 400_000;

/** Generates words and texts. */
export class Words {
  readonly #random: Random;
  readonly #long: string;

  constructor(random: Random) {
    this.#random = random;
    this.#long = longText();
  }

  word(): string {
    return this.#random.of(WORDS);
  }

  /** A word with an upper-case initial. */
  capitalized(): string {
    const word = this.word();
    return word.charAt(0).toUpperCase() + word.slice(1);
  }

  /** A text of log-normal length without leading or trailing spaces. */
  text(median: number, longest = 60_000): string {
    const length = Math.min(longest, Math.max(8, Math.round(this.#random.logNormal(median, SPREAD))));
    const start = this.#random.below(LONG_TEXT - length);
    return this.#long.slice(start, start + length).trim();
  }
}

/** Spread of lengths: the longest of a thousand comments has about thirty times the median length. */
const SPREAD = 1.1;

/** All texts are substrings of this one, because generating each would take most of the time. */
function longText(): string {
  const random = new Random(1);
  const parts: string[] = [];
  for (let length = 0; length < LONG_TEXT; ) {
    const word = random.of(WORDS) + (random.happens(0.1) ? '.\n' : random.happens(0.1) ? ', ' : ' ');
    parts.push(word);
    length += word.length;
  }
  return parts.join('').slice(0, LONG_TEXT);
}

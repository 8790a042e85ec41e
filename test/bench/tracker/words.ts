import { Chance } from './random.ts';

/** Enough words for names, tags and texts that look like a tracker's. */
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

/** Words and texts, by chance. */
export class Words {
  readonly #chance: Chance;
  readonly #long: string;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#long = longText();
  }

  word(): string {
    return this.#chance.of(WORDS);
  }

  /** A word that may begin a name. */
  capitalized(): string {
    const word = this.word();
    return word.charAt(0).toUpperCase() + word.slice(1);
  }

  /** Half of the texts are longer than `median` characters, few are much longer; none begins or ends with a space. */
  text(median: number, longest = 60_000): string {
    const length = Math.min(longest, Math.max(8, Math.round(this.#chance.logNormal(median, SPREAD))));
    const start = this.#chance.below(LONG_TEXT - length);
    return this.#long.slice(start, start + length).trim();
  }
}

/** Of lengths: the longest of a thousand comments has some thirty times the usual length. */
const SPREAD = 1.1;

/** What all texts are cut from: making each anew would take most of the time. */
function longText(): string {
  const chance = new Chance(1);
  const parts: string[] = [];
  for (let length = 0; length < LONG_TEXT; ) {
    const word = chance.of(WORDS) + (chance.happens(0.1) ? '.\n' : chance.happens(0.1) ? ', ' : ' ');
    parts.push(word);
    length += word.length;
  }
  return parts.join('').slice(0, LONG_TEXT);
}

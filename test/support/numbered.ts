import { numberedObject } from '../../lib/catalogue/number.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';

/** A catalogue whose bugs, comments, attachments and flags get ids where they have none, as by `npm run admin -- number`. */
export const parseNumbered = (given: object) => parseCatalogue(numberedObject(given));

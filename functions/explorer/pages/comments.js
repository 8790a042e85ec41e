import { rest, TOO_LARGE } from './rest.js';

/** Comments that are read at once, and those that a page has at most. */
export const PART = 50;
export const MAX_SHOWN = 500;
/** Where a part is larger than a response may be, fewer are read. */
const SMALLER = [PART, 25, 5, 1];

/** Reads comments of a bug, given by id or alias: the newest first. */
async function read(id, query) {
  const { bugs } = await rest(`bug/${id}/comment?order=newest&${query}`);
  return Object.values(bugs)[0].comments;
}

/** Reads a part, oldest first. `before`: id of the comment that follows; '': the newest. */
export async function readPart(id, before = '') {
  const until = before === '' ? '' : `&before=${before}`;
  for (const limit of SMALLER) {
    try {
      return (await read(id, `limit=${limit}${until}`)).reverse();
    } catch (error) {
      if (error.code !== TOO_LARGE || limit === 1) throw error;
    }
  }
}

/** The description alone. */
export async function readDescription(id) {
  const { bugs } = await rest(`bug/${id}/comment?limit=1`);
  return Object.values(bugs)[0].comments;
}

/** Reads the part that has the comment of this number: ids and numbers are read until it is found. */
export async function readAround(id, count) {
  for (let before = ''; ; ) {
    const query = `limit=${MAX_SHOWN}&include_fields=id,count${before === '' ? '' : `&before=${before}`}`;
    const known = await read(id, query);
    if (known.length === 0) return readPart(id);
    if (known.at(-1).count <= count) {
      const later = known.findLast((one) => one.count > count + PART / 2);
      return readPart(id, later?.id ?? before);
    }
    before = known.at(-1).id;
  }
}

/** The number of the comment that the address names; undefined: none. */
export const namedCount = () => {
  const [, count] = /^#c(\d+)$/.exec(location.hash) ?? [];
  return count === undefined ? undefined : Number(count);
};

/** Adds earlier comments to some; beyond the most that a page has, the newest leave it. */
export async function withEarlier(id, comments) {
  const earlier = await readPart(id, comments[0].id);
  return [...earlier, ...comments].slice(0, MAX_SHOWN);
}

import { describe, expect, it } from 'vitest';
import { meets } from '../../../lib/search/conditions/conditions.ts';
import { readQuicksearch } from '../../../lib/search/conditions/quicksearch.ts';
import type { SearchedBug } from '../../../lib/search/conditions/searched-bug.ts';
import { SEARCH_CONTEXT, searchedBugWith } from '../../support/searched-bugs.ts';

const bugs: Record<string, SearchedBug> = {
  moon: searchedBugWith({ id: 1, aliases: ['luna'], keywords: ['regression'], priority: 'Highest' }),
  mount: searchedBugWith(
    { id: 2, summary: 'Turns west', whiteboard: '[optics] soon', status: 'IN_PROGRESS' },
    { component: 'Mount' },
    ['It is cold on the moon'],
  ),
  bead: searchedBugWith(
    {
      id: 3,
      summary: 'A bead is missing',
      status: 'RESOLVED',
      resolution: 'WONTFIX',
      url: 'http://10.0.0.1/',
    },
    { product: 'Abacus', component: 'Beads' },
  ),
};

async function found(text: string): Promise<string[]> {
  const condition = readQuicksearch(text, SEARCH_CONTEXT);
  const hits = await Promise.all(
    Object.entries(bugs).map(async ([name, bug]) => ((await meets(condition, bug)) ? [name] : [])),
  );
  return hits.flat();
}

describe('a quicksearch', () => {
  it.each<[string, string[]]>([
    ['moon', ['moon', 'mount']],
    ['MOON', ['moon', 'mount']],
    ['"moon is"', ['moon']],
    ['moon blurry', ['moon']],
    ['moon, west', ['mount']],
    ['blurry|west', ['moon', 'mount']],
    ['blurry OR west', ['moon', 'mount']],
    ['telescope -mount', ['moon']],
    ['telescope NOT mount', ['moon']],
    ['luna', ['moon']],
    ['#cold', ['mount']],
    ['#moon', ['moon', 'mount']],
    ['[optics', ['mount']],
    [':lens', ['moon']],
    ['@assignee', ['moon', 'mount']],
    ['!regression', ['moon']],
    ['P1', ['moon']],
    ['P1-2', ['moon']],
    ['1,2', ['moon', 'mount']],
    ['3', ['bead']],
    ['(moon)', ['moon', 'mount']],
    ['(blurry OR west)', ['moon', 'mount']],
    ['(cold moon', ['mount']],
    ['"cold, on (the) moon"', ['mount']],
    ['"cold the moon"', []],
    ['()', []],
    ['"---"', []],
    ['" ---"', []],
    ['priority=Highest:', []],
    ['component:Beads, moon', []],
    ['component:Lens, moon', ['moon']],
    ['west, moon', ['mount']],
    ['nosuch, moon', []],
    ['#"is blurry"', ['moon']],
  ])('%j finds bugs by words', async (text, names) => {
    expect(await found(text)).toEqual(names);
  });

  it.each<[string, string[]]>([
    ['bead', []],
    ['ALL bead', ['bead']],
    ['OPEN telescope', ['moon', 'mount']],
    ['RESO', ['bead']],
    ['WONT bead', ['bead']],
    ['IN_,RESO', ['mount', 'bead']],
    ['status:RESOLVED', ['bead']],
    ['resolution:WONTFIX', ['bead']],
    ['resolution:---', ['moon', 'mount']],
    ['ALL 10.0.0.1', ['bead']],
  ])('%j finds open bugs, unless it says otherwise', async (text, names) => {
    expect(await found(text)).toEqual(names);
  });

  it.each<[string, string[]]>([
    ['product:tele', ['moon', 'mount']],
    ['product=tele', []],
    ['prod:tele', ['moon', 'mount']],
    ['component:lens,mount', ['moon', 'mount']],
    ['summary,whiteboard:optics', ['mount']],
    ['whiteboard:""', ['moon']],
    ['bug_id>1', ['mount']],
    ['bug_id!=1', ['mount']],
    ['-keywords:regression', ['mount']],
    ['summary:"turns west"', ['mount']],
  ])('%j finds bugs by a field', async (text, names) => {
    expect(await found(text)).toEqual(names);
  });

  it.each(['', ' , '])('%j has no words', (text) => {
    expect(() => readQuicksearch(text, SEARCH_CONTEXT)).toThrow(expect.objectContaining({ code: 1000 }));
  });

  it.each(['AND moon', 'moon OR', 'moon AND OR sun', 'NOT', '"moon', 'nosuch:x', 'as:x'])(
    '%j is refused',
    (text) => {
      expect(() => readQuicksearch(text, SEARCH_CONTEXT)).toThrow(expect.objectContaining({ code: 32000 }));
    },
  );
});

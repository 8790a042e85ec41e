import type { Measured } from './measure.ts';
import { type Panel, panel } from './panel.ts';
import { element, label } from './svg.ts';

const WIDTH = 980;
const MARGIN = 28;
const COLUMNS = 5;
const COLUMN_WIDTH = (WIDTH - 2 * MARGIN) / COLUMNS;
const DECADE_HEIGHT = 38;
/** above and below the lines of a panel */
const TITLES = 36;
const FOOT = 26;

/** What was measured as a picture: a panel for each operation, both axes logarithmic and the same for its section. */
export function plot(measured: Measured[]): string {
  const panels = [...Map.groupBy(measured, ({ operation }) => operation).values()];
  const isGrowing = (one: Measured[]) => one.some(({ things }) => things !== undefined);
  const sections = [
    {
      title: 'The same answer at every size: these lines should be level',
      panels: panels.filter((one) => !isGrowing(one)),
    },
    {
      title: 'The answer grows with the table: these lines should not be steeper than the dashed one',
      panels: panels.filter(isGrowing),
    },
  ];
  const parts = [label(MARGIN, 36, 'title', TITLE), legend(MARGIN, 60), label(MARGIN, 78, 'legend', READING)];
  let y = 112;
  for (const section of sections) {
    parts.push(label(MARGIN, y, 'section', section.title));
    const decades = decadesOf(section.panels.flat());
    const height = TITLES + decades * DECADE_HEIGHT + FOOT;
    section.panels.forEach((one, at) => {
      const place = {
        x: MARGIN + (at % COLUMNS) * COLUMN_WIDTH,
        y: y + 14 + Math.floor(at / COLUMNS) * height,
      };
      parts.push(panel(one, { ...place, ...shape(decades), isFirst: at % COLUMNS === 0 }));
    });
    y += 14 + Math.ceil(section.panels.length / COLUMNS) * height + 26;
  }
  return page(y - 18, parts);
}

const TITLE = 'What an operation takes while the table grows';

const READING =
  'To the right: items in the table. Both axes are logarithmic. The figures over the lines are those of the largest table.';

const shape = (decades: number): Pick<Panel, 'width' | 'titles' | 'height' | 'decades'> => ({
  width: COLUMN_WIDTH - 34,
  titles: TITLES,
  height: decades * DECADE_HEIGHT,
  decades,
});

/** How many powers of ten, from one up, it takes to show them all. */
function decadesOf(measured: Measured[]): number {
  const most = Math.max(
    10,
    ...measured.flatMap(({ calls, readUnits, writeUnits, median, things = 0 }) => [
      calls,
      readUnits + writeUnits,
      median,
      things,
    ]),
  );
  return Math.ceil(Math.log10(most));
}

const LEGEND: [string, string][] = [
  ['calls', 'calls to DynamoDB'],
  ['units', 'capacity units, read and write'],
  ['time', 'milliseconds, median, with DynamoDB Local'],
  ['things', 'things answered'],
];

function legend(x: number, y: number): string {
  let at = x;
  return LEGEND.map(([kind, text]) => {
    const line = element(
      'g',
      { class: kind },
      element('polyline', { points: `${at},${y - 4} ${at + 22},${y - 4}` }),
    );
    const entry = line + label(at + 28, y, 'legend', text);
    at += 52 + text.length * 6.4;
    return entry;
  }).join('');
}

/** A background, so that it is readable on a page of any colour. */
function page(height: number, parts: string[]): string {
  const box = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img' };
  const card = element('rect', {
    x: 0.5,
    y: 0.5,
    width: WIDTH - 1,
    height: height - 1,
    rx: 8,
    class: 'card',
  });
  const title = element('title', {}, TITLE);
  return `${element('svg', box, title, element('style', {}, STYLE), card, ...parts.map((part) => `\n${part}`))}\n`;
}

/** Each kind of line, its dots and its figures in one colour. */
const inked = (inks: Record<string, string>) =>
  Object.entries(inks)
    .map(
      ([kind, ink]) =>
        `.${kind} polyline { stroke: ${ink}; } .${kind} circle, tspan.${kind} { fill: ${ink}; }`,
    )
    .join(' ');

const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #57606a; }
  .title { font-size: 17px; font-weight: 600; fill: #1f2328; }
  .section, .name { font-weight: 600; fill: #1f2328; }
  .section { font-size: 13px; }
  .legend { font-size: 12px; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .card { fill: #ffffff; stroke: #d0d7de; }
  .grid { stroke: #e4e8ec; }
  polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
  .units polyline { stroke-width: 4; stroke-opacity: 0.55; }
  .things polyline { stroke-dasharray: 4 4; }
  .things circle { display: none; }
  ${inked({ calls: '#1d5fd1', units: '#d9730d', time: '#12805c', things: '#6e7781' })}
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .title, .section, .name { fill: #f0f6fc; }
    .card { fill: #0d1117; stroke: #3d444d; }
    .grid { stroke: #262c36; }
    ${inked({ calls: '#6cb0ff', units: '#f0a04b', time: '#4cc38a', things: '#9198a1' })}
  }
`;

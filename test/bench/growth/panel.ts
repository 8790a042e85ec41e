import type { Measured } from './measure.ts';
import { element, escaped, label, type Point, short, track } from './svg.ts';

/** Position and scale of a panel. */
export interface Panel extends Point {
  width: number;
  /** pixels above the lines */
  titles: number;
  /** pixels of the lines */
  height: number;
  /** powers of ten from bottom to top; the bottom is one */
  decades: number;
  /** whether the vertical axis has labels */
  isFirst: boolean;
}

/** The lines of one operation, with labels at the largest size. */
export function panel(measured: Measured[], place: Panel): string {
  const sizes = measured.map(({ items }) => items);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const left = place.x + 14;
  const bottom = place.y + place.titles + place.height;
  const across = (items: number) =>
    left + (least === most ? 0.5 : Math.log(items / least) / Math.log(most / least)) * place.width;
  const up = (value: number) => bottom - (Math.log10(Math.max(1, value)) / place.decades) * place.height;
  const line = (kind: string, value: (one: Measured) => number) =>
    track(
      measured.map((one) => ({ x: across(one.items), y: up(value(one)) })),
      kind,
    );
  const last = measured.at(-1);
  if (last === undefined) return '';
  return [
    label(left, place.y + 14, 'name', last.operation),
    figures(left, place.y + 28, last),
    ...grid(place, left, up),
    ...sizes.map((items) => label(across(items), bottom + 13, 'middle', sizeName(items))),
    ...(last.things === undefined ? [] : [line('things', ({ things = 0 }) => things)]),
    line('units', unitsOf),
    line('time', ({ median }) => median),
    line('calls', ({ calls }) => calls),
  ].join('');
}

const unitsOf = ({ readUnits, writeUnits }: Measured) => readUnits + writeUnits;

/** In the colours of the lines. */
function figures(x: number, y: number, last: Measured): string {
  const figure = (kind: string, text: string) => element('tspan', { class: kind, dx: 4 }, escaped(text));
  return element(
    'text',
    { x: x - 4, y },
    figure('calls', plural(last.calls, 'call')),
    figure('units', plural(short(unitsOf(last)), 'unit')),
    figure('time', `${milliseconds(last.median)} ms`),
  );
}

function* grid({ width, decades, isFirst }: Panel, left: number, up: (value: number) => number) {
  for (let power = 0; power <= decades; power += 1) {
    const y = short(up(10 ** power));
    yield element('line', { x1: short(left), x2: short(left + width), y1: y, y2: y, class: 'grid' });
    if (isFirst) yield label(left - 6, y + 4, 'end', sizeName(10 ** power));
  }
}

const plural = (count: number, what: string) =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

const milliseconds = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

/** 1000 is `1k`. */
function sizeName(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power < 3) return String(10 ** power);
  return power < 6 ? `${10 ** (power - 3)}k` : `${10 ** (power - 6)}M`;
}

type Attributes = Record<string, string | number>;

/** An element with its attributes and what is in it, which is markup already. */
export function element(name: string, attributes: Attributes, ...content: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join('')}>${content.join('')}</${name}>`;
}

/** Text at a position, styled by its class. */
export const label = (x: number, y: number, kind: string, text: string): string =>
  element('text', { x: short(x), y: short(y), class: kind }, escaped(text));

export interface Point {
  x: number;
  y: number;
}

/** A line through points, with a dot on each. */
export function track(points: Point[], kind: string): string {
  const path = points.map(({ x, y }) => `${short(x)},${short(y)}`).join(' ');
  const dots = points.map(({ x, y }) => element('circle', { cx: short(x), cy: short(y), r: 2.2 }));
  return element('g', { class: kind }, element('polyline', { points: path }), ...dots);
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

export const short = (value: number): number => Number(value.toFixed(1));

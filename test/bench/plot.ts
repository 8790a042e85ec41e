import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** A plot as SVG. */
export function toSvg({ config, ...spec }: TopLevelSpec): Promise<string> {
  const whole = { ...spec, config: { aria: false, title: { anchor: 'start' }, ...config } } as TopLevelSpec;
  return new View(parse(compile(whole).spec), { renderer: 'none' }).toSVG();
}

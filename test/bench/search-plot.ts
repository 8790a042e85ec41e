import { toSvg } from './plot.ts';

/** A search as it was measured. */
export interface MeasuredSearch {
  search: string;
  calls: number;
  'read units': number;
  'CPU ms': number;
  ms: number;
}

/** The measurements as SVG: a bar for each search, a panel for each measure. */
export function plotSearches(bugs: number, measured: readonly MeasuredSearch[]): Promise<string> {
  const measures = ['ms', 'CPU ms', 'read units', 'calls'] as const;
  const values = measured.flatMap((one) =>
    measures.map((measure) => ({ search: one.search, measure, value: one[measure] })),
  );
  return toSvg({
    title: `What a search of ${bugs.toLocaleString('en')} bugs takes`,
    data: { values },
    facet: { field: 'measure', type: 'nominal', title: null, sort: [...measures] },
    columns: 2,
    resolve: { scale: { x: 'independent' } },
    spec: {
      width: 260,
      height: { step: 14 },
      mark: 'bar',
      encoding: {
        y: { field: 'search', type: 'nominal', title: null, sort: null, axis: { labelLimit: 230 } },
        x: {
          field: 'value',
          type: 'quantitative',
          title: null,
          scale: { type: 'symlog' },
          axis: { values: [1, 10, 100, 1e3] },
        },
      },
    },
  });
}

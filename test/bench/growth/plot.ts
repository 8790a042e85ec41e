import { toSvg } from '../plot.ts';
import type { Measured } from './measure.ts';

/** The measurements as SVG: a panel for each operation, both axes logarithmic. */
export function plot(measured: Measured[]): Promise<string> {
  return toSvg({
    title: 'What an operation takes while the table grows, by the number of its items',
    vconcat: [
      panels('The same answer at every size: these lines should be level', measured, false),
      panels(
        'The answer grows with the table: nothing should be steeper than what is answered',
        measured,
        true,
      ),
    ],
    config: { header: { labelFontWeight: 'bold', labelFontSize: 10, labelLimit: 230 } },
  });
}

const AXIS = { format: '~s', title: null, values: [1, 10, 100, 1e3, 1e4, 1e5, 1e6] };

function panels(title: string, measured: Measured[], isGrowing: boolean) {
  const operations = new Set(
    measured.flatMap(({ operation, things }) => (things === undefined ? [] : operation)),
  );
  const values = measured
    .filter(({ operation }) => operations.has(operation) === isGrowing)
    .flatMap(({ operation, items, calls, readUnits, writeUnits, median, things }) =>
      Object.entries({
        'calls to DynamoDB': calls,
        'capacity units': readUnits + writeUnits,
        'milliseconds on DynamoDB Local': median,
        'things answered': things,
      }).flatMap(([kind, value]) =>
        value === undefined ? [] : [{ operation, items, kind, value: Math.max(1, value) }],
      ),
    );
  const sort = [...new Set(values.map(({ operation }) => operation))];
  return {
    title,
    data: { values },
    facet: { field: 'operation', type: 'nominal', title: null, sort },
    columns: 4,
    spec: {
      width: 215,
      height: 80,
      mark: 'line',
      encoding: {
        x: {
          field: 'items',
          type: 'quantitative',
          scale: { type: 'log' },
          axis: AXIS,
        },
        y: {
          field: 'value',
          type: 'quantitative',
          scale: { type: 'log', domainMin: 1 },
          axis: AXIS,
        },
        color: { field: 'kind', type: 'nominal', title: null, legend: { orient: 'top', labelLimit: 300 } },
      },
    },
  } as const;
}

/** Values of a metric by period; a hole is a period without data. */
export type Series = readonly (number | undefined)[];

/** The properties of an alarm in a template, as far as they are evaluated. */
export interface AlarmProperties {
  Threshold: number;
  EvaluationPeriods: number;
  ComparisonOperator: string;
  TreatMissingData?: string;
  MetricName?: string;
  Metrics?: { Id: string; Expression?: string; MetricStat?: { Metric: { MetricName: string } } }[];
}

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/**
 * The state of an alarm after each period, by CloudWatch's rules for missing data: periods without data are skipped
 * as long as two more periods than those to evaluate have enough, otherwise treated as the alarm says.
 *
 * @param metrics series of equal length by metric name; metrics that are not given have no data
 */
export function statesOf(alarm: AlarmProperties, metrics: Readonly<Record<string, Series>>): AlarmState[] {
  if (alarm.ComparisonOperator !== 'GreaterThanThreshold') throw new Error(alarm.ComparisonOperator);
  const length = Math.max(...Object.values(metrics).map((series) => series.length));
  const empty: Series = Array.from({ length });
  const watched = watchedSeries(alarm, (name) => metrics[name] ?? empty);
  return watched.map((_, period) => stateAt(alarm, watched.slice(0, period + 1)));
}

const EXTRA_PERIODS = 2;

function stateAt(
  { EvaluationPeriods, Threshold, TreatMissingData }: AlarmProperties,
  past: Series,
): AlarmState {
  const data = past.slice(-EvaluationPeriods - EXTRA_PERIODS).filter((value) => value !== undefined);
  const missing = EvaluationPeriods - data.length;
  if (missing > 0 && TreatMissingData !== 'notBreaching') return 'INSUFFICIENT_DATA';
  const isBreaching = data.slice(-EvaluationPeriods).every((value) => value > Threshold);
  return missing <= 0 && isBreaching ? 'ALARM' : 'OK';
}

function watchedSeries(
  { MetricName, Metrics = [] }: AlarmProperties,
  seriesOf: (name: string) => Series,
): Series {
  if (MetricName !== undefined) return seriesOf(MetricName);
  const byId = new Map(
    Metrics.map(({ Id, MetricStat }) => [Id, seriesOf(MetricStat?.Metric.MetricName ?? '')]),
  );
  const [expression, ...others] = Metrics.flatMap(({ Expression }) => Expression ?? []);
  if (expression === undefined || others.length > 0) throw new Error('One expression is supported');
  return evaluate(expression, byId);
}

/**
 * Evaluates `IF(metric > number, 100 * metric / metric, 0)`, or a sum of metrics and `FILL(metric, number)`; as in
 * CloudWatch, an expression with a hole is a hole.
 */
function evaluate(expression: string, byId: ReadonlyMap<string, Series>): Series {
  const share = /^IF\((\w+) > (\d+), 100 \* (\w+) \/ (\w+), 0\)$/.exec(expression);
  if (share !== null) {
    const [, condition, limit, part, whole] = share;
    const [compared, parts, wholes] = [condition, part, whole].map((id) => byId.get(id ?? '') ?? []);
    return (compared ?? []).map((value, period) => {
      const [one, all] = [parts?.[period], wholes?.[period]];
      if (value === undefined || one === undefined || all === undefined) return undefined;
      return value > Number(limit) ? (100 * one) / all : 0;
    });
  }
  const terms = expression.split('+').map((term) => {
    const { plain, filled, value } =
      /^(?:(?<plain>\w+)|FILL\((?<filled>\w+), (?<value>\d+)\))$/.exec(term.trim())?.groups ?? {};
    const series = byId.get(plain ?? filled ?? '');
    if (series === undefined) throw new Error(`Cannot evaluate ${term}`);
    return Array.from(series, (point) => point ?? (value === undefined ? undefined : Number(value)));
  });
  const [first = []] = terms;
  return first.map((_, period) =>
    terms.reduce<number | undefined>((sum, term) => {
      const value = term[period];
      return sum === undefined || value === undefined ? undefined : sum + value;
    }, 0),
  );
}

import { MAX_HOURS } from '../../comments/validation.ts';
import { errors } from '../../errors.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import { namedBug } from '../drafts.ts';
import type { BugItem } from '../schema.ts';
import {
  checkComponent,
  checkMilestone,
  checkSummary,
  checkText,
  checkValue,
  checkVersion,
  parseDeadline,
  parseHours,
} from '../validation.ts';
import type { LegalValues } from '../values.ts';
import { changeState, isOpenStatus, STATUSES } from '../workflow.ts';
import type { BugUpdate, Fields, UpdateSources } from './bug-update.ts';

/** Component, version and milestone: a bug that moves has to find them in the other product. */
export function place(
  bug: BugItem,
  update: BugUpdate,
  product: ProductWithParts,
  home: ProductWithParts,
): Fields {
  const isMoved = product.product.id !== home.product.id;
  const isTouched = [update.component, update.version, update.target_milestone].some(
    (given) => given !== undefined,
  );
  if (!isMoved && !isTouched) return {};
  const componentName = home.components.find((one) => one.id === bug.component_id)?.name ?? '';
  const checkedValue = <T>(
    given: string | undefined,
    current: string,
    check: (name: string) => T,
  ): T | undefined => (given === undefined && !isMoved ? undefined : check(given ?? current));
  const component = checkedValue(update.component, componentName, (name) =>
    checkComponent(product, name, isMoved ? undefined : bug.component_id),
  );
  const version = checkedValue(update.version, bug.version, (name) =>
    checkVersion(product, name, isMoved ? undefined : bug.version),
  );
  const milestone = checkedValue(update.target_milestone, bug.target_milestone, (name) =>
    checkMilestone(product, name),
  );
  return {
    product_id: product.product.id,
    component_id: component?.id ?? bug.component_id,
    version: version ?? bug.version,
    target_milestone: milestone ?? bug.target_milestone,
  };
}

export function texts(bug: BugItem, { summary, whiteboard, url, deadline }: BugUpdate): Fields {
  return {
    summary: summary === undefined ? bug.summary : checkSummary(summary),
    whiteboard: whiteboard === undefined ? bug.whiteboard : checkText('whiteboard', whiteboard),
    url: url === undefined ? bug.url : checkText('url', url.trim()),
    deadline: deadline === undefined ? bug.deadline : parseDeadline(deadline),
  };
}

export function choices(update: BugUpdate, legal: LegalValues): Fields {
  const fields = ['priority', 'severity', 'platform', 'op_sys'] as const;
  return Object.fromEntries(
    fields.flatMap((field) => {
      const given = update[field];
      return given === undefined ? [] : [[field, checkValue(field, legal[field], given)]];
    }),
  );
}

/** Work lowers what remains to be done, and negative work raises it, unless the request says what remains. */
export function hours(bug: BugItem, { estimated_time, remaining_time }: BugUpdate, workTime: number): Fields {
  const left = Math.max(0, Number((bug.remaining_time - workTime).toFixed(2)));
  if (remaining_time === undefined && left > MAX_HOURS) throw errors.hoursTooLarge('remaining_time');
  return {
    estimated_time:
      estimated_time === undefined ? bug.estimated_time : parseHours('estimated_time', estimated_time),
    remaining_time:
      remaining_time === undefined
        ? workTime === 0
          ? bug.remaining_time
          : left
        : parseHours('remaining_time', remaining_time),
  };
}

/** Closing a bug leaves nothing to be done. */
export function state(
  bug: BugItem,
  update: BugUpdate,
  { product }: ProductWithParts,
  sources: UpdateSources,
): Fields {
  const { status, resolution, dupe_of } = update;
  if (status === undefined && resolution === undefined && dupe_of === undefined) return {};
  if (dupe_of?.trim() === '') throw errors.parameterMissing('dupe_of');
  const dupeOf = dupe_of === undefined ? undefined : namedBug(sources.bugIds, dupe_of);
  const requested = {
    status: status === undefined ? undefined : checkValue('status', STATUSES, status),
    resolution:
      resolution === undefined || resolution.trim() === ''
        ? resolution?.trim()
        : checkValue('resolution', sources.legal.resolution, resolution),
    dupeOf,
  };
  const next = changeState(bug, requested, product.has_unconfirmed);
  if (next.dupe_of === bug.id) throw errors.duplicateLoop(bug.id);
  const isClosed = isOpenStatus(bug.status) && !isOpenStatus(next.status);
  return isClosed ? { ...next, remaining_time: 0 } : next;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isVisible } from '../../lib/bugs/permissions.ts';
import { bugItem } from '../../lib/bugs/schema.ts';
import { meets, type SearchContext } from '../../lib/bugs/search/conditions.ts';
import { compareBy, readOrder } from '../../lib/bugs/search/order.ts';
import { readConditions } from '../../lib/bugs/search/parameters.ts';
import type { Subject } from '../../lib/bugs/search/subject.ts';
import { DEFAULT_LEGAL_VALUES } from '../../lib/bugs/values.ts';
import { BugzillaError } from '../../lib/errors.ts';
import type { Caller } from '../../lib/users/caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: recorded data
const read = (name: string): any => readFileSync(join(import.meta.dirname, '../reference', name), 'utf8');
const catalogue = JSON.parse(read('bugs-catalog.json'));
const productIds = new Map(catalogue.products.map((p: { name: string }, i: number) => [p.name, i]));

const callers = new Map<string, Caller>(
  catalogue.users.map((u: { id: number; login: string; real_name: string; groups: string[] }) => [
    u.login.split('@')[0],
    { user: { id: u.id, login: u.login, realName: u.real_name }, groups: new Set(u.groups) },
  ]),
);
const anonymous: Caller = { user: undefined, groups: new Set() };

function subjects(caller: Caller): Subject[] {
  const insider = caller.groups.has('insiders');
  // biome-ignore lint/suspicious/noExplicitAny: recorded data
  return catalogue.bugs.map((b: any): Subject => {
    const product = catalogue.products.find((p: { name: string }) => p.name === b.product);
    return {
      bug: bugItem.parse({
        ...b,
        product_id: productIds.get(b.product),
        component_id: 1,
        comment_count: b.comments.length,
        last_comment_time: '',
        hours_worked: b.comments.reduce((s: number, c: { work_time: number }) => s + c.work_time, 0),
      }),
      place: { product: b.product, component: b.component, classification: product.classification },
      comments: async () => b.comments.filter((c: { is_private: boolean }) => insider || !c.is_private),
      history: async () => b.history,
      realName: async (login) =>
        catalogue.users.find((u: { login: string }) => u.login === login)?.real_name ?? '',
    };
  });
}

async function search(query: string, caller: Caller): Promise<number[] | { status: number; code: number }> {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query))
    parameters.set(name, [...(parameters.get(name) ?? []), value]);
  const context: SearchContext = {
    now: new Date('2026-11-21T14:00:00Z'),
    login: caller.user?.login ?? '',
    legal: DEFAULT_LEGAL_VALUES,
    isTimeTracker: caller.groups.has('timetrackers'),
    isInsider: caller.groups.has('insiders'),
  };
  try {
    const condition = readConditions(parameters, context);
    const found: Subject[] = [];
    for (const subject of subjects(caller)) {
      if (isVisible(subject.bug, caller) && (await meets(condition, subject))) found.push(subject);
    }
    const orders = parameters.get('order') ?? [];
    const columns = orders.length > 1 ? [] : readOrder(orders[0] ?? '', context);
    found.sort(
      compareBy(columns, context, ({ bug }) => {
        const product = catalogue.products.find((_: unknown, i: number) => i === bug.product_id);
        return (
          product.milestones.find((m: { name: string }) => m.name === bug.target_milestone)?.sort_key ?? 0
        );
      }),
    );
    const offset = Number(parameters.get('offset')?.at(-1) ?? 0);
    const limit = Number(parameters.get('limit')?.at(-1)) || 10_000;
    return found
      .map((s) => s.bug.id)
      .slice(limit < 10_000 ? offset : 0)
      .slice(0, limit);
  } catch (error) {
    if (error instanceof BugzillaError) return { status: error.status, code: error.code };
    throw error;
  }
}

describe('recorded searches', () => {
  for (const line of read('bugs.jsonl').trim().split('\n')) {
    const exchange = JSON.parse(line);
    const [, query] = exchange.request.split('?');
    if (exchange.section !== 'bug_search' || !exchange.request.startsWith('GET /rest/bug?')) continue;
    if (/limit=abc|limit=-|limit=%2B|offset=(&|-|2&order)/.test(query)) continue;
    it(`${exchange.request} as ${exchange.as}`, async () => {
      const answers = [exchange.bugless?.answer ?? exchange.bugzilla]
        .flat()
        .map((a: { as_recorded?: boolean }) => (a.as_recorded ? exchange.bugzilla : a));
      const got = await search(
        query.replaceAll('+', '%20').replace(/%20(02:00)/, '%2B$1'),
        callers.get(exchange.as) ?? anonymous,
      );
      const hasIds = answers.every(
        (a: any) => !a.response || a.response.bugs.every((b: any) => b.id !== undefined),
      );
      if (!hasIds) return;
      const expected = answers.map((a: any) =>
        a.status === 200
          ? a.response.bugs.map((b: any) => b.id)
          : { status: a.status, ...(a.code === undefined ? {} : { code: a.code }) },
      );
      if (
        !Array.isArray(got) &&
        expected.some((e: any) => !Array.isArray(e) && e.code === undefined && e.status === got.status)
      )
        return;
      expect(expected).toContainEqual(got);
    });
  }
});

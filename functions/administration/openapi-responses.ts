import * as z from 'zod/mini';
import { describe, NAMED, schemaRef, time } from '../../lib/http/openapi/documentation.ts';

// What the administrative operations respond, for the OpenAPI document.

export const changes = describe(
  'The changed fields. Booleans are `1` and `0`.',
  z.record(z.string(), z.object({ removed: z.nullable(z.string()), added: z.nullable(z.string()) })),
);
export const changed = z.array(z.object({ id: z.int(), changes }));

const flagType = schemaRef(
  'AvailableFlagType',
  'A flag type with what the caller may set.',
  z.object({
    ...NAMED,
    type: z.enum(['bug', 'attachment']),
    values: describe('The statuses that the caller may set.', z.array(z.enum(['X', '?', '+', '-']))),
    is_active: z.boolean(),
    is_requesteeble: describe('Whether flags of it can have a requestee.', z.boolean()),
    is_multiplicable: describe('Whether there can be several flags of it.', z.boolean()),
    inclusions: z.optional(describe('The components that it is limited to.', z.array(z.string()))),
  }),
);
export const flagTypes = schemaRef(
  'AvailableFlagTypes',
  'Flag types, ordered by sort key and name.',
  z.object({ bug: z.array(flagType), attachment: z.array(flagType) }),
);

export const group = schemaRef(
  'Group',
  'A group. `is_active`, `is_bug_group` and `user_regexp` are visible to administrators of groups.',
  z.object({
    ...NAMED,
    is_active: z.optional(z.boolean()),
    is_bug_group: z.optional(describe("Whether it is none of Bugzilla's own groups.", z.boolean())),
    user_regexp: z.optional(describe('Kept without effect.', z.string())),
    membership: z.optional(
      z.array(
        z.object({
          id: z.int(),
          real_name: z.string(),
          name: z.string(),
          email: z.string(),
          can_login: z.boolean(),
          email_enabled: z.boolean(),
          login_denied_text: z.string(),
        }),
      ),
    ),
  }),
);

export const classification = schemaRef(
  'Classification',
  'A classification with the products that the caller may select, ordered by name.',
  z.partial(
    z.object({
      ...NAMED,
      sort_key: z.int(),
      products: z.array(z.partial(z.object(NAMED))),
    }),
  ),
);

export const visits = z.array(
  z.object({ id: z.int(), last_visit_ts: time('When the caller visited the bug.') }),
);
export const visitExample = [{ id: 1, last_visit_ts: '2026-03-02T09:15:00Z' }];

const auditEntry = schemaRef(
  'AuditEntry',
  'What somebody administered, over REST or by a command.',
  z.object({
    time: time('When it was changed, or the command began.'),
    who: describe('A login; of a command an identity of AWS, and a user of a machine.', z.string()),
    command: describe('Without secrets; of a request such as `rest change group`.', z.string()),
    version: describe('Of Bugless.', z.string()),
    state: describe('`begun`: it still runs, or was interrupted.', z.enum(['begun', 'done', 'failed'])),
    counts: z.optional(describe('How many of what a command wrote.', z.record(z.string(), z.int()))),
    bugs: z.optional(describe('Bugs whose fields a command changed, the first hundred.', z.array(z.int()))),
    changes: z.optional(
      describe(
        'What a request changed. Long values are cut.',
        z.array(
          z.object({
            kind: z.string(),
            name: z.string(),
            fields: z.record(z.string(), z.object({ removed: z.string(), added: z.string() })),
          }),
        ),
      ),
    ),
  }),
);
export const auditPage = z.object({
  entries: z.array(auditEntry),
  next: z.optional(describe('The parameter `before` of a request for older entries.', z.string())),
});
export const auditExample = {
  entries: [
    {
      time: '2026-03-02T09:15:00Z',
      who: 'admin@bugless.example',
      command: 'rest change product',
      version: '1.2.0',
      state: 'done' as const,
      changes: [{ kind: 'product', name: 'Telescope', fields: { is_open: { removed: '1', added: '0' } } }],
    },
  ],
};

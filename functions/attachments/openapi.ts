import * as z from 'zod/mini';
import { attachmentQuery, attachmentUpdate, newAttachment } from '../../lib/bugs/attachments/requests.ts';
import { attachmentFields } from '../../lib/bugs/attachments/schema.ts';
import { MAX_COMMENT_LENGTH } from '../../lib/bugs/comments/validation.ts';
import { errors } from '../../lib/errors.ts';
import {
  change,
  describe,
  type EndpointGroupDescription,
  inPath,
  responds,
  schemaRef,
  time,
} from '../../lib/http/openapi/documentation.ts';
import { flag } from '../bugs/openapi-bug.ts';
import { bugErrors, bugPath, flagErrors } from '../bugs/openapi-parameters.ts';
import type { endpointGroup } from './endpoints.ts';

const bit = (text: string) => describe(`${text} 0 or 1.`, z.int());

const attachment = schemaRef(
  'Attachment',
  'An attachment of a bug. `include_fields` leaves out what it does not name.',
  z.partial(
    z.object({
      ...attachmentFields,
      is_patch: bit('Whether it is a patch.'),
      is_private: bit('Whether only insiders see it.'),
      is_obsolete: bit('Whether it is obsolete.'),
      data: describe('Base64.', z.string()),
      flags: z.array(flag),
    }),
  ),
);

const attachments = schemaRef(
  'Attachments',
  'Attachments by bug, and by their own ids.',
  z.object({
    bugs: z.record(z.string(), z.array(attachment)),
    attachments: z.record(z.string(), attachment),
    faults: z.optional(
      describe(
        'Attachments of bugs whose data is damaged; they are shown without it.',
        z.array(z.object({ id: z.int(), faultCode: z.int(), faultString: z.string() })),
      ),
    ),
  }),
);

const created = schemaRef('CreatedAttachments', 'What was created.', z.object({ ids: z.array(z.int()) }));

const changed = schemaRef(
  'ChangedAttachments',
  'What an update really changed.',
  z.object({
    attachments: z.array(
      z.object({
        id: z.int(),
        last_change_time: time('When the attachment last changed.'),
        changes: z.record(z.string(), change),
      }),
    ),
  }),
);

const example = {
  ...{ id: 1, bug_id: 1 },
  ...{ file_name: 'moon.txt', summary: 'What I saw', content_type: 'text/plain' },
  creator: 'dev@bugless.example',
  ...{ creation_time: '2026-03-02T09:15:00Z', last_change_time: '2026-03-02T09:15:00Z' },
  ...{ is_patch: 0, is_private: 0, is_obsolete: 0, size: 6, data: 'aGVsbG8K', flags: [] },
};

const reading = {
  selectsFields: true,
  parameters: attachmentQuery,
  errors: [
    ...bugErrors,
    errors.attachmentHidden('3'),
    errors.attachmentDamaged(1),
    errors.parameterNotInteger('attachment_ids', 'abc'),
    errors.attachmentsTooLarge(),
    errors.requestTooLarge('at most 100 bugs'),
  ],
} as const;

const path = { attachment_id: inPath('The id of an attachment.', '1') };

const valueErrors = [
  errors.attachmentSummaryMissing(),
  errors.contentTypeInvalid('nonsense'),
  errors.commentTooLong(MAX_COMMENT_LENGTH),
  errors.privateNotAllowed(),
  errors.requestTooLarge('at most 14 bugs'),
  errors.userUnknown('unknown@bugless.example'),
  ...flagErrors,
];

/** The OpenAPI documentation of the attachment operations. functions/attachments/README.md. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Attachments',
  text: 'Read, create and change attachments of bugs. `GET /attachment.cgi?id=…` returns the bytes.',
  operations: {
    'GET /rest/bug/{id_or_alias}/attachment': {
      ...reading,
      summary: 'Get the attachments of a bug',
      text: 'By id; private ones for insiders only. Leave out `data`, unless you need it.',
      path: bugPath,
      response: responds('The attachments.', attachments, { bugs: { 1: [example] }, attachments: {} }),
    },
    'GET /rest/bug/attachment/{attachment_id}': {
      ...reading,
      summary: 'Get an attachment',
      text: 'The attachment of the path, and those of the query.',
      path,
      response: responds('The attachments.', attachments, { bugs: {}, attachments: { 1: example } }),
    },
    'POST /rest/bug/{id_or_alias}/attachment': {
      summary: 'Attach a file',
      text: 'Attaches a file to a bug, with a comment that says so.',
      path: bugPath,
      parameters: newAttachment,
      response: { ...responds('The file is attached.', created, { ids: [1] }), status: 201 },
      errors: [
        ...valueErrors,
        errors.parameterMissing('data'),
        errors.attachmentEmpty(),
        errors.attachmentTooLarge(1_024_000),
        errors.attachmentNameMissing(),
        ...bugErrors,
        errors.productNotEditable('Handbook'),
      ],
    },
    'PUT /rest/bug/attachment/{attachment_id}': {
      summary: 'Change attachments',
      text: 'Changes the attachment of the path and those of `ids`: all of them, or none.',
      path,
      parameters: attachmentUpdate,
      response: responds('What changed.', changed, {
        attachments: [{ id: 1, last_change_time: '2026-03-02T08:30:00Z', changes: {} }],
      }),
      errors: [
        ...valueErrors,
        errors.parameterUnknown('data'),
        errors.parameterNotInteger('ids', 'abc'),
        errors.attachmentUnknown('9999'),
        errors.attachmentNameBlank(),
        errors.bugAccessDenied('7'),
      ],
    },
  },
};

const texts = (names: string): string[] => names.split(' ').map((name) => `<!ELEMENT ${name} (#PCDATA)>`);

/** The elements of 5.2 for fields that every bug has, in its order. */
export const FIELD_ELEMENTS =
  'bug_id alias creation_ts short_desc delta_ts reporter_accessible cclist_accessible classification_id ' +
  'classification product component version rep_platform op_sys bug_status resolution dup_id see_also ' +
  'bug_file_loc status_whiteboard keywords priority bug_severity target_milestone dependson blocked ' +
  'everconfirmed reporter assigned_to cc estimated_time remaining_time actual_time deadline qa_contact';

/** Which attributes elements have, beside those without any. */
const ATTRIBUTES = [
  'bugzilla version CDATA #REQUIRED',
  'bugzilla urlbase CDATA #REQUIRED',
  'bugzilla maintainer CDATA #REQUIRED',
  'bugzilla exporter CDATA #IMPLIED',
  'bug error (NotFound | NotPermitted | InvalidBugId) #IMPLIED',
  ...['reporter', 'assigned_to', 'qa_contact', 'attacher'].map((name) => `${name} name CDATA #IMPLIED`),
  'who name CDATA #REQUIRED',
  'group id CDATA #REQUIRED',
  'long_desc isprivate (0 | 1) #REQUIRED',
  ...['isobsolete', 'ispatch', 'isprivate'].map((name) => `attachment ${name} (0 | 1) #REQUIRED`),
  'data encoding (base64) #REQUIRED',
  ...['name', 'id', 'type_id', 'status', 'setter'].map((name) => `flag ${name} CDATA #REQUIRED`),
  'flag requestee CDATA #IMPLIED',
];

/** The document type of bugs as XML: the elements that a bug of any deployment may have. Custom fields are a deployment's own. */
export const BUG_DTD = [
  '<!ELEMENT bugzilla (bug*)>',
  '<!ELEMENT bug ANY>',
  '<!ELEMENT long_desc (commentid, comment_count, attachid?, who, bug_when, work_time?, thetext)>',
  '<!ELEMENT attachment (attachid, date, delta_ts, desc, filename, type, size, attacher, data?, flag*)>',
  '<!ELEMENT flag EMPTY>',
  ...texts(`${FIELD_ELEMENTS} group comment_sort_order`),
  ...texts('commentid comment_count attachid who bug_when work_time thetext'),
  ...texts('date desc filename type size attacher data'),
  ...ATTRIBUTES.map((attribute) => `<!ATTLIST ${attribute}>`),
  '',
].join('\n');

/** The reporter of bugs, and the writer of comments. */
export const REPORTER = 'reporter@example.com';

/** A product with one component and one version. */
export const aProduct = (id = 1, name = 'Alpha', more: object = {}) => ({
  ...{ id, name, components: [{ id, name: 'Core' }], versions: [{ id, name: '1' }] },
  ...more,
});

export const aComment = (text = 'Description', more: object = {}) => ({
  ...{ text, creator: REPORTER, creation_time: '2024-01-02T03:04:05Z' },
  ...more,
});

/** A bug of that product with one comment. */
export const aBug = (id: number | undefined, more: object = {}) => ({
  ...(id === undefined ? {} : { id }),
  ...{ product: 'Alpha', component: 'Core', version: '1', summary: `Bug ${id}`, status: 'CONFIRMED' },
  ...{ reporter: REPORTER, comments: [aComment()] },
  ...more,
});

/** An attachment of one byte. */
export const aFile = (id: number, more: object = {}) => ({
  ...{ id, file_name: 'f', summary: 's', content_type: 'text/plain', creator: REPORTER, data: 'YQ==' },
  ...{ creation_time: '2024-01-02T03:04:05Z', last_change_time: '2024-01-02T03:04:05Z', ...more },
});

/* global SwaggerUIBundle */
import { apiKey, keepApiKey, rest } from './rest.js';

const element = (id) => document.getElementById(id);

async function showVersion() {
  const { version, bugless } = await rest('version');
  element('version').textContent = bugless;
  element('compatible').textContent = `Bugzilla ${version}`;
}

async function showCaller() {
  const user = apiKey() === '' ? undefined : await rest('whoami').catch((error) => error);
  const isInvalid = user instanceof Error;
  if (isInvalid) keepApiKey('');
  element('caller').classList.toggle('wrong', isInvalid);
  element('caller').textContent = isInvalid ? user.message : greeting(user);
}

function greeting(user) {
  if (user === undefined) return 'You are anonymous.';
  return `You are ${user.real_name || user.name} (${user.name}).`;
}

async function showProducts() {
  const { parameters } = await rest('parameters');
  const mustLogIn = parameters.requirelogin === '1' && apiKey() === '';
  element('products').textContent = mustLogIn ? 'log in' : (await rest('product_accessible')).ids.length;
}

async function showInstallation() {
  await showCaller();
  await Promise.all([showVersion(), showProducts()]);
}

element('credentials').addEventListener('submit', (event) => {
  event.preventDefault();
  keepApiKey(element('api-key').value.trim());
  showInstallation();
});

/** Adds the API key, to requests to this origin only. */
function withApiKey(request) {
  const isHere = new URL(request.url, location.href).origin === location.origin;
  if (isHere && apiKey() !== '') request.headers['X-BUGZILLA-API-KEY'] = apiKey();
  return request;
}

/** Updates the number of products after each creation. */
function refreshProducts(response) {
  if (response.status === 201) showProducts();
  return response;
}

/** Hides Swagger UI's own authorization dialogs: the API key is entered in the page's header. */
const hideAuthorizeButtons = {
  wrapComponents: {
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,
  },
};

/** Characters of an answer that are colored, and shown at all: coloring 2 MB takes minutes, laying them out seconds. */
const MAX_COLORED = 50_000;
const MAX_SHOWN = 200_000;

/** Shows large answers without colors, and the beginning of very large ones. */
const boundedAnswers = {
  wrapComponents: {
    SyntaxHighlighter:
      (Original, { React }) =>
      (props) => {
        const text = String(props.children);
        if (text.length <= MAX_COLORED) return React.createElement(Original, props);
        const rest = `\n… ${text.length - MAX_SHOWN} more characters: download or copy the answer to see all.`;
        const shown = text.length <= MAX_SHOWN ? text : text.slice(0, MAX_SHOWN) + rest;
        return React.createElement('pre', { className: 'microlight', tabIndex: 0 }, shown);
      },
  },
};

/** Filters operations by their tag, method, path, summary or id. */
const filterOperations = {
  fn: {
    opsFilter: (tags, phrase) => {
      const words = phrase.toLowerCase().split(' ');
      const matches = (tag) => (operation) => {
        const names = ['summary', 'operationId'].map((name) => operation.getIn(['operation', name]));
        const text = [tag, operation.get('method'), operation.get('path'), ...names].join(' ').toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return tags
        .map((one, tag) => one.update('operations', (all) => all.filter(matches(tag))))
        .filter((one) => one.get('operations').size > 0);
    },
  },
};

/** Fills the base64 of an attachment in from a file. */
const attachmentFromFile = {
  wrapComponents: {
    RequestBody:
      (Original, { React }) =>
      (props) => {
        const schema = props.requestBody.getIn(['content', 'application/json', 'schema', 'properties']);
        const original = React.createElement(Original, props);
        if (!props.isExecute || !schema?.has('data') || !schema.has('file_name')) return original;
        const choose = ({ target }) => fillIn(target.files[0], props);
        const input = React.createElement('input', { type: 'file', onChange: choose });
        return React.createElement(
          'div',
          null,
          React.createElement('label', { className: 'file' }, 'A file to attach', input),
          original,
        );
      },
  },
};

function fillIn(file, { requestBodyValue, onChange }) {
  const reader = new FileReader();
  reader.onload = () => {
    const data = reader.result.slice(reader.result.indexOf(',') + 1);
    const content_type = file.type || 'application/octet-stream';
    const body = { ...parsed(requestBodyValue), data, file_name: file.name, content_type };
    onChange(JSON.stringify(body, undefined, 2));
  };
  reader.readAsDataURL(file);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Gives the fields of Swagger UI that have no label a name. */
function nameFields() {
  for (const field of element('reference').querySelectorAll('select, textarea, .filter input, pre')) {
    if (field.localName === 'pre') field.tabIndex = 0;
    else if (!field.labels?.length && !field.ariaLabel) field.ariaLabel = nameOf(field);
  }
}

function nameOf(field) {
  if (field.closest('.filter')) return 'Filter operations';
  if (field.localName === 'textarea') return 'Request body';
  return field.closest('tr')?.dataset.paramName ?? (field.closest('.response') ? 'Example' : 'Media type');
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const followColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColorScheme);
followColorScheme();

showInstallation();
new MutationObserver(nameFields).observe(element('reference'), { childList: true, subtree: true });
const spec = await rest('openapi.json');
// A search without a limit may answer thousands of bugs.
for (const parameter of spec.paths['/rest/bug']?.get.parameters ?? []) {
  if (parameter.name === 'limit') parameter.example = 20;
}
SwaggerUIBundle({
  domNode: element('reference'),
  spec,
  plugins: [hideAuthorizeButtons, boundedAnswers, filterOperations, attachmentFromFile],
  requestInterceptor: withApiKey,
  responseInterceptor: refreshProducts,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  syntaxHighlight: { activated: true, theme: 'obsidian' },
  tryItOutEnabled: true,
  validatorUrl: null,
});

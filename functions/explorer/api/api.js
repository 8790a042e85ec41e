/* global SwaggerUIBundle */

const element = (id) => document.getElementById(id);

/** Kept in memory only: reloading the page clears it. */
let apiKey = '';

async function fetchJson(path) {
  const response = await fetch(path, { headers: apiKey === '' ? {} : { 'X-BUGZILLA-API-KEY': apiKey } });
  return response.json();
}

async function showVersion() {
  const { version, bugless } = await fetchJson('rest/version');
  element('version').textContent = bugless;
  element('compatible').textContent = `Bugzilla ${version}`;
}

async function showCaller() {
  const user = apiKey === '' ? undefined : await fetchJson('rest/whoami');
  const isInvalid = user?.error === true;
  if (isInvalid) apiKey = '';
  element('caller').classList.toggle('wrong', isInvalid);
  element('caller').textContent = isInvalid ? user.message : greeting(user);
}

function greeting(user) {
  if (user === undefined) return 'You are anonymous.';
  return `You are ${user.real_name || user.name} (${user.name}).`;
}

async function showProducts() {
  const { parameters } = await fetchJson('rest/parameters');
  const mustLogIn = parameters.requirelogin === '1' && apiKey === '';
  element('products').textContent = mustLogIn
    ? 'log in'
    : (await fetchJson('rest/product_accessible')).ids.length;
}

async function showInstallation() {
  await showCaller();
  await Promise.all([showVersion(), showProducts()]);
}

element('credentials').addEventListener('submit', (event) => {
  event.preventDefault();
  apiKey = element('api-key').value.trim();
  showInstallation();
});

/** Adds the API key, to requests to this origin only. */
function withApiKey(request) {
  const isHere = new URL(request.url, location.href).origin === location.origin;
  if (isHere && apiKey !== '') request.headers['X-BUGZILLA-API-KEY'] = apiKey;
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

showInstallation();
SwaggerUIBundle({
  domNode: element('reference'),
  url: 'rest/openapi.json',
  plugins: [hideAuthorizeButtons],
  requestInterceptor: withApiKey,
  responseInterceptor: refreshProducts,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});

/* global SwaggerUIBundle */

const element = (id) => document.getElementById(id);

/** Kept by this page only, and gone with it. */
let apiKey = '';

async function ask(path) {
  const response = await fetch(path, { headers: apiKey === '' ? {} : { 'X-BUGZILLA-API-KEY': apiKey } });
  return response.json();
}

async function showVersion() {
  const { version, bugless } = await ask('rest/version');
  element('version').textContent = bugless;
  element('speaks').textContent = `Bugzilla ${version}`;
}

async function showCaller() {
  const user = apiKey === '' ? undefined : await ask('rest/whoami');
  const isWrong = user?.error === true;
  if (isWrong) apiKey = '';
  element('caller').classList.toggle('wrong', isWrong);
  element('caller').textContent = isWrong ? user.message : greeting(user);
}

function greeting(user) {
  if (user === undefined) return 'You are anonymous.';
  return `You are ${user.real_name || user.name} (${user.name}).`;
}

async function showProducts() {
  const { parameters } = await ask('rest/parameters');
  const isClosed = parameters.requirelogin === '1' && apiKey === '';
  element('products').textContent = isClosed ? 'log in' : (await ask('rest/product_accessible')).ids.length;
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

/** The key goes to this installation only. */
function withApiKey(request) {
  const isHere = new URL(request.url, location.href).origin === location.origin;
  if (isHere && apiKey !== '') request.headers['X-BUGZILLA-API-KEY'] = apiKey;
  return request;
}

/** What was created may be one more product. */
function countedAnew(response) {
  if (response.status === 201) showProducts();
  return response;
}

/** There is one place to enter a key, above. */
const withoutAuthorizing = {
  wrapComponents: {
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,
  },
};

showInstallation();
SwaggerUIBundle({
  domNode: element('reference'),
  url: 'rest/openapi.json',
  plugins: [withoutAuthorizing],
  requestInterceptor: withApiKey,
  responseInterceptor: countedAnew,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});

import { render } from 'preact';
import { html } from './elements.js';

/** What can be typed into the search, and what it finds, by what it is about: Bugzilla's quicksearch, and what search-line.js adds. */
const EXAMPLES = {
  'Numbers and words': [
    ['12', 'Bug 12 itself; #12 and bug 12, too'],
    ['moon lens', 'Open bugs that have both words in the summary, a comment or another text'],
    ['"blurry moon"', 'Words next to each other'],
    ['moon|sun', 'One of the words'],
    ['moon -lens', 'The first word without the second one, be it in the summary or a comment'],
    ['moon -"turns west"', 'The word without these words next to each other'],
    ['#moon', 'Bugs that have this word in the summary'],
    ['ALL moon', 'Closed bugs, too'],
  ],
  People: [
    ['me', 'Open bugs that are assigned to you, that you reported, or follow'],
    ['assignee:me', 'Bugs that are assigned to you; reporter:me, cc:me and qa:me likewise'],
    ['@ada', 'Bugs that are assigned to somebody whose login has this part'],
    ['reporter:ada', 'Bugs that somebody reported; cc: and commenter: likewise'],
  ],
  Fields: [
    ['product:Telescope', 'A product whose name has this word; component:, version: and milestone: likewise'],
    [':Lens', 'Bugs of a product or component that has this word'],
    ['RESOLVED moon', 'Bugs of this status; FIXED, WONTFIX and others are resolutions'],
    ['P1 sev:critical', 'Bugs of this priority and severity'],
    ['!regression', 'Bugs that have this keyword'],
    ['flag:needinfo?', 'Bugs with this flag; requestee:ada finds those that somebody is asked about'],
    ['alias:moon', 'Bugs whose alias has this word; url: and whiteboard: likewise'],
    ['changed:1d', 'Bugs that changed within a day; also h, w, m and y for hours, weeks, months and years'],
  ],
};

/** What keys do. */
const KEYS = [
  ['/', 'Search'],
  ['j k', 'Next, previous row; on a bug: next, previous bug of the list'],
  ['o Enter', 'Open the row'],
  ['x', 'Select the row; Shift x to here'],
  ['c', 'Comment'],
  ['r', 'Reply to the comment with the focus, else to the newest, quoting it'],
  ['e', 'Change a field: choose it by typing; in a list, of the selected bugs'],
  ['s', 'Status of the bug; in a list, save the search'],
  ['n', 'New bug, in the product of the page'],
  ['g h', 'Home; g l the last list, g m my bugs'],
  ['?', 'These keys'],
  ['Esc', 'Close what is open; what was written is kept'],
  ['Ctrl Enter', 'Send what is written'],
];

const Keys = () =>
  html`<dl class="keys">${KEYS.map(([keys, meaning]) => html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${meaning}</dd></div>`)}</dl>`;

/** Shows what keys do above the page; closing it leads back to where one was. */
export function showKeys() {
  const dialog = Object.assign(document.createElement('dialog'), {
    className: 'card help',
    ariaLabel: 'Keys',
  });
  render(
    html`<section><h2>Keys</h2><${Keys} /></section><form method="dialog"><button class="primary">Close</button></form>`,
    dialog,
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const example = ([words, meaning]) =>
  html`<div><dt><a href=${`buglist.cgi?${new URLSearchParams({ quicksearch: words })}`}><code>${words}</code></a></dt><dd>${meaning}</dd></div>`;

/** What can be typed into the search; `children`: further sections. */
export const SearchHelp = ({ children }) => html`
    <p class="lead">Words narrow the search; all of them have to be there. Without a status, open bugs are found. <a href="query.cgi">A form</a> has lists to choose from. Addresses of Bugzilla's advanced search work, too: <a href="explorer/bugs.md">every parameter and bound</a>.</p>
    <div class="help">${Object.entries(EXAMPLES).map(([title, rows]) => html`<section><h2>${title}</h2><dl class="examples">${rows.map(example)}</dl></section>`)}${children}</div>`;

/** The page that says what can be typed into the search, and what keys do. */
export const page = async () => ({
  title: 'Searching, and keys',
  content: html`<div class="head"><h1>Searching, and keys</h1></div><${SearchHelp}><section><h2>Keys</h2><${Keys} /></section><//>`,
});

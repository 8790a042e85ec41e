import { html } from './elements.js';

/** What can be typed into the search, and what it finds: Bugzilla's quicksearch, and what search-line.js adds. */
const EXAMPLES = [
  ['12', 'Bug 12 itself; #12 and bug 12, too'],
  ['me', 'Open bugs that are assigned to you, that you reported, or follow'],
  ['assignee:me', 'Bugs that are assigned to you; reporter:me, cc:me and qa:me likewise'],
  ['changed:1d', 'Bugs that changed within a day; also h, w, m and y for hours, weeks, months and years'],
  ['moon lens', 'Open bugs that have both words in the summary, a comment or another text'],
  ['"blurry moon"', 'Words next to each other'],
  ['moon|sun', 'One of the words'],
  ['moon -lens', 'The first word without the second one, be it in the summary or a comment'],
  ['moon -"turns west"', 'The word without these words next to each other'],
  ['ALL moon', 'Closed bugs, too'],
  ['RESOLVED moon', 'Bugs of this status; FIXED, WONTFIX and others are resolutions'],
  [
    'product:Telescope',
    'Bugs of a product whose name has this word; component:, version: and milestone: likewise',
  ],
  [':Lens', 'Bugs of a product or component that has this word'],
  ['#moon', 'Bugs that have this word in the summary'],
  ['@ada', 'Bugs that are assigned to somebody whose login has this part'],
  ['reporter:ada', 'Bugs that somebody reported; cc: and commenter: likewise'],
  ['!regression', 'Bugs that have this keyword'],
  ['P1 sev:critical', 'Bugs of this priority and severity'],
  ['flag:needinfo?', 'Bugs with this flag; requestee:ada finds those that somebody is asked about'],
  ['alias:moon', 'Bugs whose alias has this word; url: and whiteboard: likewise'],
];

/** What can be typed into the search. */
export const SearchHelp = () => html`
    <p>What you type has to be there as a whole: several words narrow the search. Without a status, open bugs are found.</p>
    <table class="examples">
      <thead><tr><th scope="col">Example</th><th scope="col">finds</th></tr></thead>
      <tbody>${EXAMPLES.map(
        ([words, meaning]) =>
          html`<tr><td><a href=${`buglist.cgi?${new URLSearchParams({ quicksearch: words })}`}><code>${words}</code></a></td><td>${meaning}</td></tr>`,
      )}</tbody>
    </table>
    <p><a href="query.cgi">A form</a> has lists to choose from. Addresses of Bugzilla's advanced search work, too: <a href="explorer/bugs.md">every parameter and bound</a>.</p>`;

/** The page that says what can be typed into the search. */
export const helpPage = async () => ({
  title: 'How to search',
  content: html`<h1>How to search</h1><${SearchHelp} />`,
});

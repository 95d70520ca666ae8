/** What each filter hides, in the transcript and in the tree: the style and the script are made from this. */
const FILTERS = [
  { name: 'tools', title: 'No tools', hides: '.call, .tools' },
  { name: 'user', title: 'User', hides: ':is(article, .entry):not(.user), .note' },
  { name: 'labeled', title: 'Labeled', hides: ':is(article, .entry):not(.labeled), .note' },
  { name: 'errors', title: 'Errors', hides: ':is(article, .entry):not(.failed), .note' },
] as const;

export const FILTER_STYLE: string = FILTERS.map(
  ({ name, hides }) => `:root[data-filter=${name}] :is(${hides}){display:none!important}\n`,
).join('');

export const FILTER_LIST: string = JSON.stringify(FILTERS);

import { kinds } from '../../src/redact/kinds.ts';

const LETTERS = 'q7RkZ2mX9vTb4LwY8sHc3NfJ6gPd5KuE1aQzVhSxWyCtMnBrGjDpFeU0iOoAl';

/** Characters that look random and are always the same; the first is a letter, and digits come soon. */
function run(length: number, from: string): string {
  return Array.from({ length }, (_, at) => from[(at * 7 + length) % from.length]).join('');
}

const RUNS: Readonly<Record<string, string>> = {
  '': LETTERS,
  h: '4a7c1e9b3f5d8206',
  d: '7391850264',
  U: 'K7QZ2MXV9TB4LWY8SHC3NFJ6GPD5RUE1A',
};

/** An example of a kind, put together when the tests run: no scanner of a code host takes the source for a leak. */
export function filled(example: string): string {
  return example
    .replace(/<(\d+)([hdU]?)>/g, (_, length: string, set: string) => run(Number(length), RUNS[set] ?? ''))
    .replaceAll('\\n', '\n');
}

/** What the rules of secretlint find, each by a text that has one and what of it must go. */
const PRESET_EXAMPLES: Readonly<Record<string, readonly [text: string, secret?: string]>> = {
  'aws-secret-key': ['AWS_SECRET_ACCESS_KEY=<40>', '<40>'],
  'npm-token': ['npm_<36>'],
  'slack-token': ['xoxb-<12d>-<12d>-<24>'],
  'slack-webhook': ['https://hooks.slack.com/services/T<8U>/B<8U>/<24>'],
  'openai-key': ['sk-<20>T3BlbkFJ<20>'],
  'anthropic-key': ['sk-ant-api03-<93>AA'],
  'groq-key': ['gsk_<52>'],
  'huggingface-token': ['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'],
  'linear-token': ['lin_api_<40>'],
  'notion-token': ['ntn_<11d><35>'],
  'sendgrid-key': ['SG.<22>.<43>'],
  'shopify-token': ['shpat_<32h>'],
  'github-token': ['ghp_<36>'],
  'github-pat': ['github_pat_<22>_<59>'],
  'gitlab-token': ['glpat-<20>'],
  'grafana-token': ['glsa_<32>_<8h>'],
  'vault-token': ['hvs.<95>'],
  'vercel-token': ['vcp_<24>'],
  'databricks-token': ['dapi<32h>'],
  'docker-token': ['dckr_pat_<27>'],
  'figma-token': ['figd_<40>'],
};

/** One secret of each kind of both: the text that it is in, and what must not be left of it. */
export const SECRETS: readonly { readonly kind: string; readonly text: string; readonly secret: string }[] = [
  ...kinds.map(({ id, example, pattern }) => {
    const text = filled(example);
    const match = new RegExp(pattern.source, pattern.flags.replace('g', '')).exec(text);
    return { kind: id, text, secret: match?.slice(1).find(Boolean) ?? match?.[0] ?? 'no match' };
  }),
  ...Object.entries(PRESET_EXAMPLES).map(([kind, [text, secret = text]]) => ({
    kind: `${kind} (secretlint)`,
    text: filled(text),
    secret: filled(secret),
  })),
];

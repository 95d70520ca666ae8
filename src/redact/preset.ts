import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Kind } from './kind.ts';
import { NAME_HINT } from './named.ts';

/** The interface of secretlint's rules. Its own runner is not used, because it records every call. */
interface SecretlintContext {
  readonly createTranslator: () => (id: string, data?: Data) => SecretlintMessage;
  readonly report: (found: { readonly message: SecretlintMessage; readonly range: readonly [number, number] }) => void;
  readonly ignore: () => void;
  readonly sharedOptions: object;
}
type Data = Readonly<Record<string, unknown>>;
type SecretlintMessage = { readonly data: Data };
interface SecretlintRule {
  readonly meta: { readonly id: string };
  readonly create: (context: SecretlintContext, options: object) => { readonly file: (source: object) => void };
}

/**
 * secretlint's rules by name: the kind of secret, and hints, none if it is a name with its value. Left out are the
 * filter for comments that disable rules, because anybody can write into a log; the rule for Google's key files, which
 * reads files; and those on passwords in URLs, which report the whole URL.
 */
const KINDS: Readonly<Record<string, readonly [id: string, ...hints: string[]]>> = {
  aws: ['aws-secret-key'],
  npm: ['npm-token', 'npm_', '_authToken=', 'x-oauth-'],
  slack: ['slack-token', 'xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-', 'hooks.slack.'],
  openai: ['openai-key', 'T3BlbkFJ'],
  anthropic: ['anthropic-key', 'sk-ant-'],
  groq: ['groq-key', 'gsk_'],
  huggingface: ['huggingface-token', 'hf_'],
  linear: ['linear-token', 'lin_api_'],
  notion: ['notion-token', 'ntn_'],
  privatekey: ['private-key', 'PRIVATE KEY'],
  sendgrid: ['sendgrid-key', 'SG.'],
  shopify: ['shopify-token', 'shppa_', 'shpca_', 'shpat_', 'shpss_'],
  github: ['github-token', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
  gitlab: ['gitlab-token', 'glpat-'],
  grafana: ['grafana-token', 'glc_', 'glsa_'],
  '1password': ['onepassword-token', 'ops_'],
  'hashicorp-vault': ['vault-token', 'hvs.', 'hvb.', 'hvr.'],
  vercel: ['vercel-token', 'vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
  databricks: ['databricks-token', 'dapi'],
  docker: ['docker-token', 'dckr_pat_'],
  figma: ['figma-token', 'figd_'],
};

interface PresetRule {
  readonly id: string;
  readonly hints: Kind['hints'];
  /** The ranges of the secrets in a text. */
  readonly find: (text: string) => { readonly start: number; readonly end: number }[];
}

export const presetRules: readonly PresetRule[] = (rules as unknown as readonly SecretlintRule[]).flatMap((rule) => {
  const [id, ...hints] = KINDS[rule.meta.id.replace('@secretlint/secretlint-rule-', '')] ?? [];
  return id === undefined ? [] : [{ id, hints: hints.length > 0 ? hints : NAME_HINT, find: (text) => run(rule, text) }];
});

function run(rule: SecretlintRule, text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const context: SecretlintContext = {
    createTranslator:
      () =>
      (_id, data = {}) => ({ data }),
    report: ({ message, range: [from, to] }) => {
      // Some rules report a range that starts at the name of the secret and has the length of the secret.
      const values = Object.values(message.data).filter((value) => typeof value === 'string');
      const secret = values.reduce((a, b) => (a.length < b.length ? b : a), '');
      const start = secret === '' ? -1 : text.indexOf(secret, from);
      found.push(start < 0 ? { start: from, end: to } : { start, end: start + secret.length });
    },
    ignore: () => {},
    sharedOptions: {},
  };
  rule.create(context, {}).file({ filePath: '', ext: '.txt', contentType: 'text', content: text });
  return found;
}

import { type Kind, prefixed } from './kind.ts';
import { ACCESS_KEY, assigned, ENV_KEY, isCall, isPassword, isReal, isToken, NAME_HINT } from './named.ts';

/** In a URL: from the scheme to the colon after the user name. */
const URL_USER = '\\b[a-z][a-z0-9+.-]{1,30}:\\/\\/[^\\s\\/:@"\'`<>\\\\]{0,100}';
const URL_HINT = /:(?:\\*\/){2}[^\s/"'@<>]{1,400}@/;
/** One search for all tokens with parts separated by dots. */
const DOTTED = /\.(?:[\w-]{6}[\w-]?\.[\w-]{27}|[a-f0-9]{64})/;
/** Base64 and base64url. */
const LONG = '[A-Za-z0-9+/_-]';

/** Kinds that secretlint's rules do not find, or not at the right place. In this order; the first match counts. */
export const kinds: readonly Kind[] = [
  // Keys and certificates.
  {
    id: 'private-key',
    hints: ['PRIVATE KEY', 'PuTTY-User-Key'],
    // Up to the end of the block, or of the base64 if the block was truncated.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\w\s+/=\\:;,.()-]){16,20000}(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?|PuTTY-User-Key-File-\d[^\0]{0,4000}?Private-MAC: [0-9a-f]{40,64}/g,
    example: '-----BEGIN ENCRYPTED PRIVATE KEY-----\\n<64>\\n<64>\\n-----END ENCRYPTED PRIVATE KEY-----',
    other: '-----BEGIN PUBLIC KEY-----\\n<64>\\n-----END PUBLIC KEY-----',
  },
  prefixed('age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}', 'AGE-SECRET-KEY-1<58U>', 'AGE-SECRET-KEY-1<20U>'),

  // Clouds.
  {
    id: 'aws-access-key',
    hints: ['AKIA', 'ASIA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA', 'ABIA', 'ACCA'],
    pattern: /\b(?:AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
    example: 'AKIA<16U>',
    other: 'AKIA<12U>',
  },
  prefixed('google-api-key', 'AIza', '[\\w-]{35}', 'AIza<35>', 'AIza<20>'),
  prefixed('google-oauth-secret', 'GOCSPX-', '[\\w-]{28}', 'GOCSPX-<28>', 'GOCSPX-<10>'),
  prefixed('google-oauth-token', 'ya29.', '[\\w-]{20,2000}', 'ya29.<60>', 'ya29.<8>'),
  prefixed('google-refresh-token', '1//0', '[\\w-]{30,200}', '1//0<40>', '1//0<8>'),
  {
    id: 'firebase-key',
    hints: /:APA91b/,
    pattern: /(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{100,200}/g,
    example: 'AAAA<7>:APA91b<120>',
    other: 'AAAA<7>:APA91b<40>',
  },
  {
    id: 'azure-storage-key',
    hints: ['AccountKey', 'SharedAccessKey'],
    pattern: /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,120}={0,2})/gi,
    example: 'AccountKey=<86>==',
    other: 'AccountKey=<8>',
  },
  {
    id: 'azure-sas',
    hints: ['sig='],
    pattern: /[?&;]sig=((?=[^&\s]{0,60}\d)[A-Za-z0-9%+/_-]{40,120}(?:%3D|=){0,2})/gi,
    example: 'https://a.blob.core.windows.net/c?sv=2024-01-01&sig=<43>%3D',
    other: 'https://a.example/c?sig=<12>',
  },
  {
    id: 'azure-client-secret',
    hints: ['Q~'],
    pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g,
    example: '<3>8Q~<34>',
    other: '<3>8Q~<10>',
  },
  prefixed('alibaba-key', 'LTAI', '[A-Za-z0-9]{17,21}', 'LTAI<20>', 'LTAI<8>'),
  prefixed('digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', '[a-f0-9]{64}', 'dop_v1_<64h>', 'dop_v1_<20h>'),
  prefixed('heroku-key', 'HRKU-', '[\\w-]{36,80}', 'HRKU-<60>', 'HRKU-<8>'),
  prefixed('fly-token', 'fm1_ fm2_ fo1_', '[\\w+/=-]{40,2000}', 'fm2_<100>', 'fm2_<8>'),
  prefixed('netlify-token', 'nfp_ nfc_', '[A-Za-z0-9]{36,60}', 'nfp_<36>', 'nfp_<8>'),
  prefixed('render-key', 'rnd_', '[A-Za-z0-9]{28,40}', 'rnd_<28>', 'rnd_<8>'),
  prefixed('supabase-key', 'sbp_ sb_secret_', '[\\w-]{30,80}', 'sbp_<40h>', 'sbp_<8>'),
  prefixed(
    'planetscale-token',
    'pscale_tkn_ pscale_pw_ pscale_oauth_',
    '[\\w=.-]{32,64}',
    'pscale_tkn_<43>',
    'pscale_tkn_<8>',
  ),
  prefixed('neon-key', 'napi_', '[a-z0-9]{40,80}', 'napi_<64h>', 'napi_<8h>'),
  prefixed('cloudflare-token', 'cfut_ cfat_ cfk_', '[\\w-]{40,60}', 'cfut_<48>', 'cfut_<8>'),
  prefixed('cloudflare-origin-key', 'v1.0-', '[a-f0-9]{24}-[a-f0-9]{100,200}', 'v1.0-<24h>-<146h>', 'v1.0-<24h>'),
  prefixed('tailscale-key', 'tskey-', '[a-z]{2,12}-[\\w-]{16,80}', 'tskey-auth-<11>CNTRL-<32>', 'tskey-auth-<4>'),
  {
    id: 'terraform-token',
    hints: ['.atlasv1.'],
    pattern: /(?<![\w.-])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}(?![\w-])/g,
    example: '<14>.atlasv1.<67>',
    other: '<14>.atlasv1.<10>',
  },
  prefixed('pulumi-token', 'pul-', '[a-f0-9]{40}', 'pul-<40h>', 'pul-<10h>'),
  prefixed(
    'doppler-token',
    'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.',
    '[\\w.-]{36,80}',
    'dp.pt.<43>',
    'dp.pt.<8>',
  ),

  // Models.
  prefixed('anthropic-key', 'sk-ant-', '[\\w-]{20,200}', 'sk-ant-oat01-<90>', 'sk-ant-<6>'),
  prefixed('openrouter-key', 'sk-or-', '[\\w-]{32,80}', 'sk-or-v1-<64h>', 'sk-or-v1-<8h>'),
  prefixed('langfuse-key', 'sk-lf-', '[a-f0-9-]{36}', 'sk-lf-<8h>-<4h>-<4h>-<4h>-<12h>', 'sk-lf-<8h>'),
  prefixed('openai-key', 'sk-', '(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{32,220}', 'sk-proj-<120>', 'sk-<12>'),
  prefixed('perplexity-key', 'pplx-', '[A-Za-z0-9]{40,64}', 'pplx-<48>', 'pplx-<8>'),
  prefixed('xai-key', 'xai-', '[A-Za-z0-9]{60,100}', 'xai-<80>', 'xai-<8>'),
  prefixed('replicate-token', 'r8_', '[A-Za-z0-9]{37,40}', 'r8_<37>', 'r8_<8>'),
  prefixed('nvidia-key', 'nvapi-', '[\\w-]{60,80}', 'nvapi-<64>', 'nvapi-<8>'),
  prefixed('cerebras-key', 'csk-', '[a-z0-9]{40,60}', 'csk-<48h>', 'csk-<8h>'),
  prefixed('fireworks-key', 'fw_', '[A-Za-z0-9]{22,26}', 'fw_<24>', 'fw_<8>'),
  prefixed('langsmith-key', 'lsv2_pt_ lsv2_sk_', '[a-f0-9]{32}_[a-f0-9]{10}', 'lsv2_pt_<32h>_<10h>', 'lsv2_pt_<8h>'),
  prefixed('pinecone-key', 'pcsk_', '[\\w-]{40,100}', 'pcsk_<70>', 'pcsk_<8>'),
  prefixed('tavily-key', 'tvly-', '[\\w-]{30,60}', 'tvly-dev-<32>', 'tvly-<8>'),

  // Code hosts and registries.
  prefixed(
    'gitlab-token',
    'glptt- gldt- glrt- glrtr- glcbt- gloas- glsoat- glft- glimt- glagent- GR1348941',
    '[\\w-]{20,128}',
    'gldt-<20>',
    'gldt-<8>',
  ),
  prefixed('atlassian-token', 'ATATT3 ATCTT3 ATSTT3', '[\\w=-]{60,260}', 'ATATT3<180>', 'ATATT3<8>'),
  prefixed('bitbucket-token', 'ATBB', '[\\w=]{28,60}', 'ATBB<32>', 'ATBB<8>'),
  prefixed('pypi-token', 'pypi-', 'Ag[EN][\\w-]{50,1000}', 'pypi-AgEIcHlwaS5vcmc<80>', 'pypi-AgE<8>'),
  prefixed('rubygems-key', 'rubygems_', '[a-f0-9]{48}', 'rubygems_<48h>', 'rubygems_<8h>'),
  prefixed('docker-token', 'dckr_oat_', '[\\w-]{27,64}', 'dckr_oat_<32>', 'dckr_oat_<8>'),
  prefixed('sourcegraph-token', 'sgp_', '(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}', 'sgp_<40h>', 'sgp_<8h>'),
  prefixed('sonarqube-token', 'squ_ sqp_ sqa_', '[a-f0-9]{40}', 'squ_<40h>', 'squ_<8h>'),
  prefixed('jfrog-key', 'AKCp', '[A-Za-z0-9]{50,80}', 'AKCp<69>', 'AKCp<8>'),
  prefixed('buildkite-token', 'bkua_', '[a-z0-9]{40}', 'bkua_<40h>', 'bkua_<8h>'),
  prefixed('circleci-token', 'CCIPAT_ CCIPRJ_', '[\\w-]{40,80}', 'CCIPAT_<22>_<40h>', 'CCIPAT_<8>'),

  // Money, messages and other services.
  prefixed(
    'stripe-key',
    'sk_live_ rk_live_ sk_test_ rk_test_ whsec_',
    '[A-Za-z0-9]{20,250}',
    'sk_live_<24>',
    'sk_live_<8>',
  ),
  prefixed('square-token', 'sq0atp- sq0csp- EAAAE EAAAl', '[\\w-]{22,64}', 'sq0csp-<43>', 'sq0csp-<8>'),
  prefixed(
    'braintree-token',
    'access_token$',
    '(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}',
    'access_token$production$<16h>$<32h>',
    'access_token$production$<8h>',
  ),
  prefixed('razorpay-key', 'rzp_live_ rzp_test_', '[A-Za-z0-9]{14,24}', 'rzp_live_<14>', 'rzp_live_<4>'),
  prefixed('flutterwave-key', 'FLWSECK-', '[A-Za-z0-9]{32}-X', 'FLWSECK-<32h>-X', 'FLWSECK-<8h>-X'),
  prefixed('shippo-token', 'shippo_live_ shippo_test_', '[a-f0-9]{40}', 'shippo_live_<40h>', 'shippo_live_<8h>'),
  prefixed('easypost-key', 'EZAK EZTK', '[A-Za-z0-9]{54}', 'EZAK<54>', 'EZAK<8>'),
  prefixed('twilio-key', 'SK', '[a-f0-9]{32}', 'SK<32h>', 'SK<31h>'),
  prefixed('mailgun-key', 'key-', '[a-f0-9]{32}', 'key-<32h>', 'key-<8h>'),
  {
    id: 'mailchimp-key',
    hints: /-us\d/,
    pattern: /(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/g,
    example: '<32h>-us12',
    other: '<16h>-us12',
  },
  prefixed('brevo-key', 'xkeysib- xsmtpsib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}', 'xkeysib-<64h>-<16>', 'xkeysib-<8h>'),
  prefixed('resend-key', 're_', '[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,40}', 're_<8>_<24>', 're_<8>'),
  {
    id: 'telegram-token',
    hints: /:AA[\w-]{33}/,
    pattern: /(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{33}(?![\w-])/g,
    example: '<10d>:AA<33>',
    other: '<10d>:AA<8>',
  },
  {
    id: 'discord-token',
    hints: DOTTED,
    pattern: /(?<![\w.-])[MNO][A-Za-z\d_-]{23,28}\.[\w-]{6,7}\.[\w-]{27,40}(?![\w-])/g,
    example: 'M<23>.<6>.<38>',
    other: 'M<23>.<6>.<8>',
  },
  {
    id: 'webhook-url',
    hints: /webhook/,
    pattern:
      /https:\/\/(?:\w{1,20}\.)?(?:discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/[\w-]{40,100}|[\w-]{1,60}\.webhook\.office\.com\/webhookb2\/[\w@/-]{60,300})/g,
    example: 'https://discord.com/api/webhooks/<18d>/<68>',
    other: 'https://discord.com/api/webhooks/about',
  },
  prefixed('facebook-token', 'EAAC EAAG EAAB EAAM', '[A-Za-z0-9]{80,300}', 'EAAC<120>', 'EAAC<8>'),
  {
    id: 'airtable-token',
    hints: DOTTED,
    pattern: /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{64}(?![A-Za-z0-9])/g,
    example: 'pat<14>.<64h>',
    other: 'pat<14>',
  },
  prefixed(
    'hubspot-token',
    'pat-na1- pat-na2- pat-eu1-',
    '[a-f0-9-]{36}',
    'pat-na1-<8h>-<4h>-<4h>-<4h>-<12h>',
    'pat-na1-<8h>',
  ),
  prefixed('contentful-token', 'CFPAT-', '[\\w-]{43}', 'CFPAT-<43>', 'CFPAT-<8>'),
  prefixed('dropbox-token', 'sl.', '(?:u\\.)?[\\w-]{120,1400}', 'sl.<140>', 'sl.<8>'),
  prefixed('typeform-token', 'tfp_', '[\\w.=-]{40,80}', 'tfp_<59>', 'tfp_<8>'),
  prefixed('linear-token', 'lin_oauth_ lin_wh_', '[A-Za-z0-9]{32,128}', 'lin_oauth_<64h>', 'lin_oauth_<8h>'),
  prefixed('notion-token', 'secret_', '[A-Za-z0-9]{43}', 'secret_<43>', 'secret_<8>'),
  prefixed('sentry-token', 'sntrys_ sntryu_', '[\\w+/=]{40,300}', 'sntryu_<64h>', 'sntryu_<8h>'),
  prefixed('newrelic-key', 'NRAK- NRJS- NRII-', '[\\w-]{19,40}', 'NRAK-<27U>', 'NRAK-<8U>'),
  prefixed('honeycomb-key', 'hcaik_ hcamk_ hcbik_', '[a-z0-9]{50,64}', 'hcaik_<58h>', 'hcaik_<8h>'),
  prefixed('posthog-key', 'phx_', '[A-Za-z0-9]{40,60}', 'phx_<43>', 'phx_<8>'),
  prefixed('mapbox-token', 'sk.', 'eyJ[\\w-]{40,200}\\.[\\w-]{20,40}', 'sk.eyJ<80>.<22>', 'sk.eyJ<8>'),
  prefixed('duffel-token', 'duffel_live_ duffel_test_', '[\\w-]{43}', 'duffel_live_<43>', 'duffel_live_<8>'),
  prefixed('prefect-key', 'pnu_ pnb_', '[A-Za-z0-9]{36}', 'pnu_<36>', 'pnu_<8>'),

  // Secrets recognized by their context.
  {
    id: 'jwt',
    hints: /\.eyJ/,
    pattern: /(?<![A-Za-z0-9])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{10,2000}(?![\w-])/g,
    example: 'eyJ<30>.eyJ<80>.<43>',
    other: 'eyJ<30>.<80>.<43>',
  },
  {
    id: 'bearer-token',
    hints: /bearer\b/i,
    pattern: /\bbearer["']?[ \t]{1,4}["'`]?((?=[^\s"']{0,60}?\d)[\w.~+/-]{16,8000}={0,2})/gi,
    accepts: isReal,
    example: 'Authorization: Bearer <40>',
    other: 'the bearer of <8> is paid, with a bearer $TOKEN_1234567890abcdef',
  },
  {
    id: 'basic-auth',
    hints: /basic\b/i,
    pattern: /\bbasic[ \t]{1,4}((?=[^\s"']{0,60}?[\dA-Z])[A-Za-z0-9+/]{12,400}={0,2})(?![\w.-])/gi,
    accepts: (secret) => /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,200}$/.test(Buffer.from(secret, 'base64').toString()),
    example: 'Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==',
    other: 'basic Understanding of the matter',
  },
  {
    id: 'authorization',
    hints: /authorization\b/i,
    pattern:
      /\bauthorization(?:\\*["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\*["'`])?(?:token|apikey|api-key|key|digest)[ \t]{1,4}((?=[^\s"']{0,60}?\d)[\w.~+/=-]{16,4000})/gi,
    accepts: isReal,
    example: 'Authorization: token <40>',
    other: 'Authorization: token required',
  },
  {
    id: 'url-password',
    hints: URL_HINT,
    pattern: new RegExp(`${URL_USER}:([^\\s\\/@"'\`<>\\\\]{3,200})@(?=[\\w\\[.-])`, 'gi'),
    accepts: isPassword,
    example: 'postgres://ada:<12>@db.example.com:5432/app',
    other: 'postgres://ada:$PASSWORD@db.example.com/app',
  },
  {
    id: 'url-token',
    hints: URL_HINT,
    pattern: /\bhttps?:\/\/((?=[\w-]{0,100}\d)[\w-]{16,250})(?::x-oauth-basic)?@(?=[\w.-])/gi,
    accepts: isReal,
    example: 'https://<40>@git.example.com/a.git',
    other: 'https://ada@git.example.com/a.git',
  },
  {
    id: 'command-password',
    hints: /--[a-z-]{0,20}(?:pass|pwd|token|secret|key)|sshpass |curl /,
    pattern:
      /(?<=\s)--(?:[a-z-]{0,20}pass(?:word|wd|phrase)?|pwd|[a-z-]{0,20}token|[a-z-]{0,20}secret|[a-z-]{0,20}api-?key)(?:=|[ \t]{1,4})["']?([^\s"'`$<>(){}[\]|;&\\-][^\s"'`<>(){}|;&\\]{5,400})|\bsshpass -p[ \t]{0,4}["']?([^\s"'`$<>\\]{4,200})|\bcurl [^\n]{0,300}?(?<=\s)(?:-u|--user)[ =]?["']?[^\s"':]{1,100}:([^\s"'`$<>\\]{4,200})/g,
    accepts: (secret, match) => (/token|secret|key/.test(match?.[0] ?? '') ? isToken(secret) : isPassword(secret)),
    example: 'mysql --password <12> app',
    other: 'login --password-stdin < file, run --token $TOKEN',
  },
  {
    id: 'netrc-password',
    hints: /machine\b/,
    pattern: /\bmachine[ \t]{1,4}\S{1,200}\s{1,8}login[ \t]{1,4}\S{1,200}\s{1,8}password[ \t]{1,4}([^\s"'\\$]{4,200})/g,
    accepts: isPassword,
    example: 'machine git.example.com login ada password <12>',
    other: 'the machine that I login with needs a password soon',
  },
  {
    id: 'env-password',
    hints: NAME_HINT,
    // Unquoted, with a name in capitals: up to the end of the word, because a password may have any character.
    pattern:
      /(?<![\w.?&-])[A-Z0-9_]{0,80}(?:PASS(?:WORD|WD|PHRASE|CODE)?|PWD)=([^\s"'`\\]{4,400}?)(?=[;,)]{0,3}(?:[\s"'`\\]|$))/g,
    accepts: (secret) => isPassword(secret) && !isCall(secret),
    example: 'DB_PASS=q9$w,z(7)<4>',
    other: 'OLDPWD=/home/ada, PASSWORD=$(cat key), PASSWORD=read(1), const PASSWORD=form.value;',
  },
  assigned(
    'password',
    'pass(?:word|wd|phrase|code)|pwd|(?<![a-z])pass(?=\\\\*["\']|=|$)',
    isPassword,
    'db_password: "q9$w,z(7)<4>"',
    'password: string, pwd=$PWD, password: "{{PASS_1}}", password="<secret>", password = forms[0]',
  ),
  assigned(
    'secret',
    'secret|credential',
    isToken,
    'client_secret: "<24>"',
    'secret: "my-secret-name", secret = getSecret()',
  ),
  assigned('token', 'token', isToken, '"refresh_token": "<24>"', 'max_tokens=4096, token: "next", token = sha256("a")'),
  assigned('access-key', ACCESS_KEY, isToken, 'const apiKey = "<24>"', 'apiKey: env.API_KEY, cache_key="<24>"'),
  assigned('env-key', ENV_KEY, isToken, 'DATADOG_KEY=<32h>', 'sort_key=<24>, PUBLIC_KEY=<24>', ''),
];

/** Kinds that are only searched with an option, by the name of the option. */
export const optionalKinds = {
  emails: {
    id: 'email',
    hints: ['@'],
    // With what was found before, such as the name of a user, unless it is the password in a URL.
    pattern:
      /(?<![\w.+%\u2028-])(?:[\w+%-]|(?<![:/])\u2028)[\w.+%\u2028-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])/g,
    accepts: (address) => !address.startsWith('git@'),
    example: 'ada.lovelace@example.com',
    other: 'git@github.com:ada/engine.git, user@host, @types/node@20',
  },
  paths: {
    id: 'home',
    hints: /(?:\/home|\/Users|Users)(?:\\*\/|\\+)[^\s/\\"':]/,
    pattern:
      /(?<![\w/])\/(?:home|Users)\/[^\s/\\"'`:;,<>|&()[\]{}*?$]{1,64}|(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)[^\s/\\"'`:;,<>|&()[\]{}*?$]{1,64}/g,
    example: '/home/ada/project',
    other: 'GET /api/home/ada, /homebrew/bin',
  },
  entropy: {
    id: 'high-entropy',
    hints: new RegExp(`${LONG}{24}`),
    pattern: new RegExp(
      `(?<!${LONG})(?=${LONG}{0,200}\\d)(?=${LONG}{0,200}[a-z])(?=${LONG}{0,200}[A-Z])${LONG}{24,200}={0,2}(?!${LONG})`,
      'g',
    ),
    accepts: (secret) => !secret.includes('/') && bitsPerCharacter(secret) > 4,
    example: '<40>',
    other: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA1, <40h>',
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** Shannon entropy. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

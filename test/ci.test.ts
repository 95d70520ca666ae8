import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { installed } from './support/installed.ts';
import { fixedEnv, programPath, projectRoot, spawnCommand } from './support/run.ts';
import { jenkinsErrors, sarifErrors } from './support/schemas.ts';
import { scratchFolder } from './support/scratch.ts';

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly language: string;
  readonly files: string;
}

const text = (name: string): string => readFileSync(join(projectRoot, name), 'utf8');
const yamlBlocks = (name: string): unknown[] =>
  [...text(name).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => load(match[1] ?? ''));

const action = load(text('action.yml')) as {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};

/** What the folder `recorded` holds, and the exit code for it. */
const RECORDED: readonly (readonly [what: string, log: string | undefined, code: number])[] = [
  ['a sound log', 'fixtures/sessions/pi-branches.jsonl', 0],
  ['a broken log', 'fixtures/readme/crashed.jsonl', 1],
  ['no log at all', undefined, 2],
];

/** A project with logs, where `sessionctl` is the built program and `npm` only notes what it is asked for. */
function project(log: string | undefined): string {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'recorded'));
  mkdirSync(join(folder, 'bin'));
  if (log) cpSync(join(projectRoot, log), join(folder, 'recorded', 'a.jsonl'));
  symlinkSync(programPath, join(folder, 'bin', 'sessionctl'));
  const npm = '#!/bin/sh\necho "$PWD: npm $*" >> "$NPM_CALLS"\n[ "$1" != pack ] || echo sessionctl-1.tgz\n';
  writeFileSync(join(folder, 'bin', 'npm'), npm, { mode: 0o755 });
  for (const name of ['summary.md', 'output']) writeFileSync(join(folder, name), '');
  return folder;
}

/** Runs a script as the runners of GitHub and GitLab do. */
async function runStep(script: string, folder: string, env: Readonly<Record<string, string>> = {}): Promise<number> {
  const ran = await spawnCommand('bash', ['--noprofile', '-eo', 'pipefail', '-c', script], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}${delimiter}${fixedEnv['PATH']}`,
      NPM_CALLS: join(folder, 'npm-calls'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_ACTION_PATH: projectRoot,
      ...env,
    },
  });
  expect(ran.stderr).not.toContain('unknown');
  return ran.code;
}

/** For the real npm: nothing from the machine's settings, nothing from a registry, all of its files in the folder. */
const npmEnv = (folder: string): Record<string, string> => ({
  HOME: folder,
  npm_config_offline: 'true',
  npm_config_prefix: join(folder, 'prefix'),
});

const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

describe.skipIf(!installed('bash'))('the action', () => {
  const [install, check] = action.runs.steps;
  const inputs = (given: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(check?.env ?? {}).map(([name, value]) => {
        const [, input = ''] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value) ?? [];
        return [name, given[input] ?? action.inputs[input]?.default ?? 'no such input'];
      }),
    );

  it.each(RECORDED)('checks %s', async (_what, log, code) => {
    const folder = project(log);
    const env = inputs({ paths: 'recorded\n', sarif: 'a b.sarif', junit: 'c.xml' });
    expect(await runStep(check?.run ?? '', folder, env)).toBe(code);
    expect(read(folder, 'output')).toBe(`exit-code=${code}\n`);
    expect(read(folder, 'summary.md')).toContain('### sessionctl validate\n');
    expect(sarifErrors(JSON.parse(read(folder, 'a b.sarif')))).toEqual([]);
    expect(await jenkinsErrors(read(folder, 'c.xml'))).toEqual([]);
  });

  it('checks the whole checkout where nothing is said', async () => {
    const folder = project('fixtures/readme/crashed.jsonl');
    expect(await runStep(check?.run ?? '', folder, inputs({}))).toBe(1);
  });

  it('installs what is in its own checkout, so that no registry has to know the program', async () => {
    const folder = project(undefined);
    expect(await runStep(install?.run ?? '', folder)).toBe(0);
    expect(read(folder, 'npm-calls')).toMatch(`${projectRoot.replace(/\/$/, '')}: npm ci `);
    expect(action.outputs['exit-code']?.value).toContain('steps.validate.outputs.exit-code');
  });

  it('says which Node the runner has to have, for it brings none', () => {
    const { engines } = JSON.parse(text('package.json')) as { readonly engines: { readonly node: string } };
    const [, first = '', second = ''] = /^\^(\d+\.\d+)\.0 \|\| \^(\d+\.\d+)\.0 \|\| >=/.exec(engines.node) ?? [];
    const [, aboutAction = ''] = /\n## GitHub Actions\n([\s\S]*?)The same by hand:/.exec(text('docs/ci.md')) ?? [];
    expect(aboutAction).toContain(`Node ${first}, ${second} or newer`);
    expect(action.runs.steps.filter(({ uses }) => uses)).toEqual([]);
  });
});

describe.skipIf(!installed('bash'))('the jobs in README.md and docs/ci.md', () => {
  const blocks = ['README.md', 'docs/ci.md'].flatMap(yamlBlocks) as Record<string, Record<string, unknown>>[];
  const jobs = blocks.flatMap((block) => Object.values(block['jobs'] ?? {})) as { readonly steps: readonly Step[] }[];
  const gitlab = blocks.flatMap((block) => (block['sessions'] ? [block['sessions']] : [])) as {
    readonly script: readonly string[];
    readonly artifacts: { readonly reports: { readonly junit: string } };
  }[];
  const scripts = [
    ...jobs.map(({ steps }) => steps.flatMap(({ run }) => run ?? [])).filter((steps) => steps.length > 0),
    // The lines of such a job run in one shell; the last one is the check.
    ...gitlab.map(({ script }) => [script.slice(0, -1).join('\n'), script.at(-1) ?? '']),
  ];
  const source = 'git+https://github.com/sessionctl/sessionctl.git';

  it('are there', () => {
    expect(scripts).toHaveLength(3);
    expect(jobs.flatMap(({ steps }) => steps).filter(({ uses }) => uses?.startsWith('sessionctl/'))).toHaveLength(1);
  });

  it.each(RECORDED)(
    'end with the exit code that %s earns, and install what is on no registry',
    async (_what, log, code) => {
      for (const steps of scripts) {
        const folder = project(log);
        const codes: number[] = [];
        for (const step of steps) codes.push(await runStep(step, folder));
        expect(codes, steps.join('\n')).toEqual([0, code]);
        expect(read(folder, 'npm-calls').replaceAll(`${folder}: `, '')).toBe(
          `npm pack -q --foreground-scripts=false ${source}\nnpm install --global sessionctl-1.tgz\n`,
        );
      }
    },
  );

  it.skipIf(!installed('git'))('stop with the reason where there is nothing to install', async () => {
    for (const [install = ''] of scripts) {
      expect(install).toContain(source);
      const folder = scratchFolder();
      const script = install.replace(source, `git+file://${folder}/none`);
      const ran = await spawnCommand('bash', ['-ec', script], { cwd: folder, env: npmEnv(folder) });
      expect(ran.code).not.toBe(0);
      expect(ran.stderr).toContain(`'${folder}/none' does not appear to be a git repository`);
      expect(ran.stderr).not.toContain('Usage:');
    }
  });

  it('upload files that they write', async () => {
    for (const { steps } of jobs) {
      const [upload] = steps.flatMap((step) => step.with?.['sarif_file'] ?? []);
      const own = steps.find(({ uses }) => uses?.startsWith('sessionctl/'));
      for (const name of Object.keys(own?.with ?? {})) expect(Object.keys(action.inputs)).toContain(name);
      const written = own?.with?.['sarif'] ?? steps.map(({ run }) => /sarif=(\S+)/.exec(run ?? '')?.[1]).find(Boolean);
      expect(upload).toBe(written);
    }
    for (const { script, artifacts } of gitlab) expect(script.join()).toContain(`junit=${artifacts.reports.junit} `);
  });
});

describe.skipIf(!installed('bash'))('the hook for pre-commit', () => {
  const hooks = load(text('.pre-commit-hooks.yaml')) as readonly Hook[];

  it.each(RECORDED.slice(0, 2))('runs on %s as it is called', async (_what, log, code) => {
    const [hook] = hooks;
    expect(hook).toMatchObject({ language: 'node', id: 'sessionctl-validate' });
    expect('recorded/a.jsonl').toMatch(new RegExp(hook?.files ?? ''));
    expect('notes.txt').not.toMatch(new RegExp(hook?.files ?? ''));
    expect(await runStep(`${hook?.entry} recorded/a.jsonl`, project(log))).toBe(code);
  });

  it('is installed as pre-commit does it, which takes all that npm pack prints for the name of the tarball', async () => {
    const folder = scratchFolder();
    const manifest = JSON.parse(text('package.json')) as { files: string[]; scripts: Record<string, string> };
    for (const name of ['.npmrc', ...manifest.files])
      cpSync(join(projectRoot, name), join(folder, 'clone', name), { recursive: true });
    // It is built already.
    manifest.scripts['build'] = 'echo built';
    writeFileSync(join(folder, 'clone/package.json'), JSON.stringify(manifest));
    const npm = async (...words: string[]) =>
      await spawnCommand('npm', words, { cwd: join(folder, 'clone'), env: npmEnv(folder) });
    const { stdout } = await npm('pack');
    expect(stdout).toMatch(/^sessionctl-[\d.]+\.tgz\n$/);
    expect(await npm('install', '-g', join(folder, 'clone', stdout.trim()))).toMatchObject({ code: 0 });
    const env = { PATH: `${join(folder, 'prefix/bin')}${delimiter}${fixedEnv['PATH']}` };
    expect(await runStep(`${hooks[0]?.entry} ${projectRoot}/fixtures/readme/crashed.jsonl`, folder, env)).toBe(1);
  });

  it('is the one that docs/ci.md names', () => {
    const [config] = yamlBlocks('docs/ci.md').flatMap((block) => (block as { repos?: unknown[] }).repos ?? []) as {
      readonly hooks: readonly Hook[];
    }[];
    expect(config?.hooks.map(({ id }) => id)).toEqual(hooks.map(({ id }) => id));
    expect('recorded/a.jsonl').toMatch(new RegExp(config?.hooks[0]?.files ?? ''));
  });
});

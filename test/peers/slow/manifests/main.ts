/**
 * main.ts [--most NUMBER] [--write] OWNER/NAME=DIRECTORY...: runs the manifests of public repositories as `mockri
 * simulate` does, each file alone, and prints the outcomes. DIRECTORY is a clone, bare or not, whose HEAD is read.
 * Tries at most NUMBER files of a repository, spread evenly, without templates. `explained.yaml` lists correct outcomes
 * without healthy pods.
 * --write writes the tables of docs/results/manifests.md. Exit code 1: more than 2 % of the outcomes are wrong, or one
 * is not explained.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { InputError, parseYaml } from '../../../../src/base/input/yaml.js';
import { workloadKinds } from '../../../../src/kubelet/kubernetes/workloads.js';
import { loadInputs } from '../../../../src/lab/scenario/load-inputs.js';
import type { Simulation } from '../../../../src/lab/scenario/run/run.js';
import { runScenario } from '../../../../src/lab/scenario/run-scenario.js';
import { table } from '../../../support/markdown-table.js';

const { values, positionals } = parseArgs({
  options: { most: { type: 'string', default: '16' }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});

/** An outcome that is not healthy, and who is right. */
const explanationSchema = z.strictObject({
  /** An expression for OWNER/NAME/path of the files. */
  files: z.string().transform((text) => new RegExp(text)),
  /** An expression for the outcome. */
  says: z.string().transform((text) => new RegExp(text)),
  verdict: z.enum(['right', 'wrong']),
  why: z.string(),
});
type Explanation = z.output<typeof explanationSchema>;

interface Tried {
  readonly repository: string;
  readonly path: string;
  readonly kind: 'healthy' | 'refused' | 'troubled';
  /** Why it is not healthy. */
  readonly says: string;
  readonly explanation: Explanation | undefined;
}

interface Repository {
  readonly name: string;
  readonly directory: string;
  readonly commit: string;
}

const explanations = parseYaml(
  readFileSync(new URL('explained.yaml', import.meta.url), 'utf8'),
  z.array(explanationSchema),
  'explained.yaml',
);

/** A line of an object that creates pods, in YAML or JSON, or of a list of those; not a reference to one. */
const KINDS = [...workloadKinds, 'List'].join('|');
const WORKLOAD = new RegExp(
  `^(?:kind:|- kind:|  kind: List|[ ]{0,4}"kind":|{"kind":) ?["']?(?:${KINDS})["']?,?\\s*$`,
  'm',
);

/** Placeholders of helm, envsubst, ko, ytt and others, which fill them in before kubectl. */
const TEMPLATE = /\{\{|<%|\$\{\w+(?::-[^}]*)?\}|\$\(\w+\.\w|^#@|<[A-Z_]+>|\bko:\/\//m;

/** Charts, parts for kustomize, and input for a repository's own tests: no cluster gets them. */
const OTHER_INPUT =
  /(^|\/)(charts?|templates?|testdata|test-data|fixtures|fake|goldens?|vendor|patches|overlays)\/|patch|(^|\/)kustomization\.ya?ml$/;

const git = (directory: string, args: readonly string[], input = ''): Buffer =>
  execFileSync('git', ['-C', directory, ...args], { input, maxBuffer: 1 << 29 });

interface Manifest {
  readonly path: string;
  readonly text: string;
}

/**
 * The files of HEAD at these paths that the clone has: `git cat-file --batch` writes a line, the bytes, a line feed.
 */
function filesOf(directory: string, paths: readonly string[]): Manifest[] {
  const output = git(directory, ['cat-file', '--batch'], paths.map((path) => `HEAD:${path}\n`).join(''));
  let at = 0;
  return paths.flatMap((path) => {
    const begin = output.indexOf('\n', at) + 1;
    const [, size] = / blob (\d+)$/.exec(output.toString('utf8', at, begin - 1)) ?? [];
    at = size === undefined ? begin : begin + Number(size) + 1;
    return size === undefined ? [] : [{ path, text: output.toString('utf8', begin, at - 1) }];
  });
}

/** The manifests of a repository, spread evenly if there are too many. */
function manifestsOf({ directory }: Repository): Manifest[] {
  const paths = git(directory, ['ls-tree', '-r', '-z', '--name-only', 'HEAD']).toString().split('\0');
  const found = filesOf(
    directory,
    paths.filter((path) => /\.(ya?ml|json)$/.test(path) && !OTHER_INPUT.test(path)),
  ).filter(({ text }) => WORKLOAD.test(text) && !TEMPLATE.test(text));
  const step = Math.max(1, found.length / Number(values.most));
  return found.filter((_, index) => index === 0 || Math.floor(index / step) > Math.floor((index - 1) / step));
}

/** The problems of pods at the end of a run, or before: their states and the last warnings. */
function troubles({ rows, events }: Simulation): string[] {
  const last = new Map(rows.map((row) => [row.pod, row]));
  return [...last.values()].flatMap(({ pod, ready, status, restarts }) => {
    const [some, all] = ready.split('/');
    const isWell = status === 'Completed' || (status === 'Running' && some === all);
    if (isWell && restarts === 0) return [];
    const warning = events.findLast((event) => event.pod === pod && event.type === 'Warning');
    return [`${pod.replace(/^.*\//, '')} ${ready} ${status} ${restarts}: ${warning?.message ?? ''}`];
  });
}

async function outcomeOf(file: string, label: string): Promise<Pick<Tried, 'kind' | 'says'>> {
  try {
    const { scenarios } = await loadInputs([file]);
    const [scenario] = scenarios;
    if (scenario === undefined) throw new Error('no scenario');
    const [result] = await runScenario(scenario);
    if (result === undefined) throw new Error('no run');
    const says = troubles(result.run);
    return says.length === 0
      ? { kind: 'healthy', says: '' }
      : { kind: 'troubled', says: says.slice(0, 4).join('; ') };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { kind: 'refused', says: error.problems.slice(0, 3).join('; ').replaceAll(file, label) };
  }
}

const directory = mkdtempSync(join(tmpdir(), 'manifests-'));
const repositories: Repository[] = positionals.map((given) => {
  const [name = '', clone = ''] = given.split('=');
  return { name, directory: clone, commit: git(clone, ['rev-parse', 'HEAD']).toString().trim() };
});
const tried: Tried[] = [];
try {
  for (const repository of repositories)
    for (const { path, text } of manifestsOf(repository)) {
      const file = join(directory, `manifest${extname(path)}`);
      writeFileSync(file, text);
      const outcome = await outcomeOf(file, path.replace(/^.*\//, ''));
      const name = `${repository.name}/${path}`;
      const explanation = explanations.find(
        ({ files, says }) => outcome.kind !== 'healthy' && files.test(name) && says.test(outcome.says),
      );
      const { verdict = 'NOT EXPLAINED' } = explanation ?? {};
      if (outcome.kind !== 'healthy') console.log(`${verdict}: ${outcome.kind}: ${name}: ${outcome.says}`);
      tried.push({ repository: repository.name, path, ...outcome, explanation });
    }
} finally {
  rmSync(directory, { recursive: true });
}

const are = (all: readonly Tried[], kind: Tried['kind'], verdict?: 'right' | 'wrong'): number =>
  all.filter((one) => one.kind === kind && one.explanation?.verdict === verdict).length;
const wrongOf = (all: readonly Tried[]): number =>
  all.filter(({ kind, explanation }) => kind !== 'healthy' && explanation?.verdict !== 'right').length;
const summary = table([
  [
    'repository',
    'commit',
    'tried',
    'as a healthy cluster',
    'trouble as on a cluster',
    'right refusal',
    'wrong',
  ],
  ...[...repositories.map(({ name, commit }) => ({ name, commit })), { name: 'all', commit: '' }].map(
    ({ name, commit }) => {
      const own = tried.filter(({ repository }) => name === 'all' || repository === name);
      return [
        name,
        commit.slice(0, 10),
        String(own.length),
        String(are(own, 'healthy')),
        String(are(own, 'troubled', 'right')),
        String(are(own, 'refused', 'right')),
        String(wrongOf(own)),
      ];
    },
  ),
]);
console.log(summary);
if (values.write) writePage();
const unexplained = tried.filter(({ kind, explanation }) => kind !== 'healthy' && explanation === undefined);
console.log(`${tried.length} tried, ${wrongOf(tried)} wrong, ${unexplained.length} not explained`);
process.exitCode = unexplained.length > 0 || wrongOf(tried) > tried.length / 50 ? 1 : 0;

function writePage(): void {
  const page = new URL('../../../../docs/results/manifests.md', import.meta.url);
  const others = tried.filter(({ kind }) => kind !== 'healthy');
  const whys = [...new Set(others.map(({ explanation }) => explanation?.why ?? 'not explained'))];
  const explained = whys.map((why) => {
    const own = others.filter(({ explanation }) => (explanation?.why ?? 'not explained') === why);
    const [{ kind, explanation } = { kind: 'refused', explanation: undefined }] = own;
    const verdict = explanation?.verdict === 'right' ? 'right' : 'wrong';
    const files = own.map(({ repository, path }) => `\`${repository}/${path}\``).join(', ');
    return `- **${verdict}: ${kind === 'refused' ? 'refused' : 'trouble'}**, ${why}: ${files}`;
  });
  const paths = repositories.flatMap(({ name }) => {
    const own = tried.filter(({ repository, kind }) => repository === name && kind === 'healthy');
    if (own.length === 0) return [];
    return `**${name}**: ${own.map(({ path }) => `\`${path}\``).join(', ')}`;
  });
  const contents = { summary, explained: explained.join('\n'), healthy: paths.join('\n\n') };
  let text = readFileSync(page, 'utf8');
  for (const [marker, content] of Object.entries(contents))
    text = text.replace(
      new RegExp(`(<!-- ${marker} -->\\n)[\\s\\S]*?(<!-- end -->)`),
      (_, begin: string, end: string) => `${begin}\n${content}\n\n${end}`,
    );
  writeFileSync(page, text);
}

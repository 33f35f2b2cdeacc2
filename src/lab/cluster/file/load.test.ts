import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../../test/support/temporary.js';
import { loadCluster } from './load.js';

const temporary = useTemporaryDirectories();

const BEGIN = "version: 1\ncluster: { kubernetes: '1.37' }\nuntil: 1m\n";

function load(text: string) {
  const file = join(temporary(), 'cluster.yaml');
  writeFileSync(file, text);
  return loadCluster(file);
}

test.each([
  ['fault: []', '4:1: fault: unknown key; did you mean "faults"?'],
  ['timeline: [{ at: 2m, kill: kube-controller-manager }]', '4:14: timeline[0].at: is after "until"'],
  [
    'timeline: [{ at: 1s, kill: etc }]',
    '4:22: timeline[0].kill: no program has the name "etc"; there are kube-controller-manager',
  ],
  ['timeline: [{ at: 1s }]', 'expected exactly one of apply, delete, patch, kill, start, pause, resume'],
  [
    'faults: [{ name: a, match: { program: kube-scheduler, verb: write }, then: { error: 409 } }]',
    '4:30: faults[0].match.program: no program has the name "kube-scheduler"; there are kube-controller-manager',
  ],
  [
    'faults: [{ name: a, match: { program: kube-controller-manager, watch: pods }, then: { loseReply: true } }]',
    'faults[0].then.loseReply: not for a watch; allowed: delay, error, disconnect, repeat',
  ],
  [
    'faults: [{ name: a, match: { program: kube-controller-manager }, then: { disconnect: 1s } }]',
    'faults[0].then.disconnect: not for requests; allowed: delay, error, loseReply, pause, stale, kill',
  ],
  [
    'faults: [{ name: a, match: { program: kube-controller-manager }, then: { delay: 1s, error: 500 } }]',
    'expected exactly one of delay, error, loseReply, disconnect, repeat, pause, stale, kill',
  ],
  [
    'faults: [{ name: a, match: { program: kube-controller-manager, verb: list }, then: { stale: 1s } }]',
    'faults[0].match: "stale" needs a "resource" such as "pods"; "verb" can be get or list',
  ],
  [
    'faults: [{ name: a, match: { program: kube-controller-manager, resource: pods, verb: write }, then: { stale: 1s } }]',
    'faults[0].match: "stale" needs a "resource" such as "pods"; "verb" can be get or list',
  ],
  [
    'faults: [{ name: a, match: { program: kube-controller-manager, resource: pods }, then: { stale: 6m } }]',
    'faults[0].then.stale: expected at most 5m, which is what etcd keeps',
  ],
  [
    'expect: { never: [{ count: Pods, above: 1 }] }',
    'expected a resource such as "pods" or "deployments.apps"',
  ],
])('%s is a mistake', (text, message) => {
  expect(() => load(BEGIN + text)).toThrow(message);
});

test('nodes and the scheduler are there if the scenario has nodes', () => {
  const text = (nodes: string, rest: string) =>
    `version: 1\ncluster: { kubernetes: '1.37'${nodes} }\n${rest}\nuntil: 1m\n`;
  const kill = 'timeline: [{ at: 1s, kill: node-3 }]';
  expect(() => load(text(', nodes: { thin: 2 }', kill))).toThrow(
    'no program has the name "node-3"; there are kube-controller-manager, kube-scheduler, node-1, node-2',
  );
  load(text(', nodes: { thin: 3 }', kill));
  const pause = 'timeline: [{ at: 1s, pause: node-1 }]';
  expect(() => load(text(', nodes: { thin: 1 }', pause))).toThrow(
    'timeline[0].pause: no program has the name "node-1"; there are kube-controller-manager, kube-scheduler',
  );
  const program = ', programs: [{ name: node-1, program: ./a }], nodes: { thin: 1 }';
  expect(() => load(text(program, ''))).toThrow('two programs have the name "node-1"');
});

test('a program is a file or a module, and its name is its own', () => {
  const named = (programs: string) =>
    `version: 1\ncluster: { kubernetes: '1.37', programs: [${programs}] }\nuntil: 1m\n`;
  expect(() => load(named('{ name: a }'))).toThrow('expected either "program" or "module"');
  expect(() => load(named('{ name: a, module: example.com/a }'))).toThrow(
    'expected a package of Go and its version',
  );
  expect(() => load(named('{ name: a, program: ./a, ahead: -90000h }'))).toThrow(
    'cluster.programs[0].ahead: expected at most 10 years (87600h) ahead or behind; given "-90000h"',
  );
  expect(() => load(named('{ name: a, program: ./a, env: { HOME: /root } }'))).toThrow(
    'cluster.programs[0].env.HOME: Mockri sets this variable itself',
  );
  expect(() => load(named('{ name: etcd, program: ./a }'))).toThrow('two programs have the name "etcd"');
});

test('manifests are files of several objects, and directories of them', () => {
  const directory = temporary();
  mkdirSync(join(directory, 'crds'));
  const object = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;
  writeFileSync(join(directory, 'crds', 'one.yaml'), `${object('a')}---\n${object('b')}`);
  writeFileSync(join(directory, 'crds', 'kustomization.yaml'), 'resources: []\n');
  // Some CRDs have more than a mebibyte.
  writeFileSync(join(directory, 'web.yaml'), `${object('c')}# ${'x'.repeat(2 ** 20)}\n`);
  const file = join(directory, 'cluster.yaml');
  const programs = '{ name: operator, program: ./operator, manifests: [crds] }';
  const text = `version: 1\ncluster: { kubernetes: '1.37', programs: [${programs}] }\n`;
  writeFileSync(file, `${text}timeline: [{ at: 1s, apply: web.yaml }]\nuntil: 1m\n`);
  const names = [...loadCluster(file).objects].map(([path, all]) => [
    path,
    all.map(({ metadata }) => metadata.name),
  ]);
  expect(names).toEqual([
    ['crds', ['a', 'b']],
    ['web.yaml', ['c']],
  ]);
  writeFileSync(join(directory, 'web.yaml'), 'kind: ConfigMap\nmetadata: {}\n');
  expect(() => loadCluster(file)).toThrow(
    /web\.yaml:1:1: apiVersion: .*\n.*web\.yaml:2:\d+: metadata\.name: /,
  );
});

test('an argument or a variable with a zero byte is refused with its field', () => {
  const program = (rest: string) =>
    `version: 1\ncluster: { kubernetes: '1.37', programs: [{ name: a, program: ./a, ${rest} }] }\nuntil: 1m\n`;
  expect(() => load(program('args: [fine, "x\\0y"]'))).toThrow(
    "cluster.programs[0].args[1]: a program can't be given a zero byte",
  );
  expect(() => load(program('env: { A: "x\\0y" }'))).toThrow(
    "cluster.programs[0].env.A: a program can't be given a zero byte",
  );
});

test('manifests of 64 MiB together are too large, in 1,000 files or in several of 16 MiB', () => {
  const directory = join(temporary(), 'many');
  mkdirSync(directory);
  const large = `# ${'x'.repeat(15 * 1024 * 1024)}\n`;
  for (let n = 0; n < 5; n++) writeFileSync(join(directory, `${n}.yaml`), large);
  const text = (path: string) => `${BEGIN}timeline: [{ at: 1s, apply: '${path}' }]`;
  expect(() => load(text(directory))).toThrow('4.yaml: with it the manifests have more than 64 MiB');
  const files = join(temporary(), 'files');
  mkdirSync(files);
  for (let n = 0; n <= 1000; n++) writeFileSync(join(files, `${n}.yaml`), '');
  expect(() => load(text(files))).toThrow('files: it has 1001 manifests; at most 1000 are read');
});

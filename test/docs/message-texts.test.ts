import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files that read texts of others, which are all that there is, or that do as a real program does; and why. */
const allowed: Readonly<Record<string, string>> = {
  'adapters/docker/daemon/connection-hint.ts': "texts of Node's HTTP client and OpenSSL",
  'adapters/docker/errors.ts': "Docker's texts",
  'src/cli/commands/serve/backends.ts': "Node's text names the package that is missing",
  'src/suite/conformance/probes.ts': 'texts of the runtime that is tested',
  'src/suite/conformance/specs/streams/exec-and-streaming.ts': 'grpc-go says a size in the text alone',
  'src/cri/client/go-status.ts': "grpc-js's texts",
  'src/base/input/wording.ts': "zod's texts",
  'src/base/input/yaml-document.ts': 'texts of the yaml package',
  'src/tape/judge/client/client-rules.ts': 'containerd and CRI-O say in the text alone that a name is taken',
  'src/kubelet/images/image-manager.ts': 'the kubelet takes the first word of a pull error as its reason',
  'src/kubelet/probes/outcome.ts': "texts of Node's HTTP client and OpenSSL",
  'src/runtime/profiles/cri-dockerd/start-failure.ts': 'Docker takes the exit code from the text',
  'src/runtime/profiles/unmade-id.ts': 'a mark in a text, which an id replaces',
  'src/lab/scenario/compare/matrix.ts':
    "a real kubelet says in the text alone that a container's hash changed",
  'src/lab/scenario/expect/expectations.ts': 'texts that the author of a scenario expects',
  'src/lab/scenario/manifests/guess/from-status.ts': 'a status of a cluster, which has texts alone',
};

/** Folders of readers of what other programs printed. */
const readers = ['src/lab/reproduce/', 'src/tape/import/'];

/** A comparison of a message's text; a text of a log only where runs and tapes are read. */
const COMPARISONS = [
  /\b(?:message|details)\??\.(?:includes|startsWith|endsWith|match|search)\(/,
  /\.(?:test|exec)\(\s*(?:\w+\.)*(?:message|details)\b\s*\)/,
  /\bmessage === '[^']/,
];
const OF_LOGS = [
  /\b(?:text|line|log)\??\.(?:includes|startsWith|endsWith|match|search)\(/,
  /\.(?:test|exec)\(\s*(?:\w+\.)*text\b\s*\)/,
];
const READS_RUNS =
  /^src\/(lab\/(scenario\/(explain|run)|explore\/(?!versions))|tape\/(viewer\/model|judge\/(?!runtime\/fields))|runtime\/control)/;

test('no file compares the text of a message to learn what happened', () => {
  const files = ['src', 'adapters'].flatMap(sources);
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => comparisons(file, readFileSync(join(root, file), 'utf8')));
  const unknown = found.filter((each) => allowed[each.replace(/:.*/s, '')] === undefined);
  expect(unknown).toEqual([]);
  const used = new Set(found.map((each) => each.replace(/:.*/s, '')));
  expect(Object.keys(allowed).filter((file) => !used.has(file))).toEqual([]);
});

test.each([
  ["if (error.message.includes('gone')) return;", 'src/cluster/a.ts'],
  ['const found = /gone/.exec(event.message);', 'src/cluster/a.ts'],
  ["lines.filter(({ text }) => text.startsWith('Fall back'))", 'src/tape/viewer/model/a.ts'],
])('a comparison is found: %s', (line, file) => {
  expect(comparisons(file, `// First.\n${line}\n`)).toEqual([`${file}:2: ${line}`]);
});

function sources(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .filter((file) => !readers.some((prefix) => file.startsWith(prefix)) && !file.includes('/gen/'));
}

/** `file:line: text` of each comparison. */
function comparisons(file: string, source: string): string[] {
  const patterns = READS_RUNS.test(file) ? [...COMPARISONS, ...OF_LOGS] : COMPARISONS;
  return source
    .split('\n')
    .flatMap((line, index) =>
      patterns.some((pattern) => pattern.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
    );
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../../../../test/support/temporary.js';
import { checkVersion, ownSources, whyMissing } from './release.js';

it.each(['1.37.2', '1.37', '1.28.15'])('takes %s', (version) => {
  expect(checkVersion(version)).toBe(version);
});

it('takes the v of a tag', () => expect(checkVersion('v1.36.3')).toBe('1.36.3'));

it.each(['1.27.1', '1.38', '1', 'latest', '1.37.2-rc.0', '1.37.2/../x'])('refuses %s', (version) => {
  expect(() => checkVersion(version)).toThrow(
    `--version: expected a release of Kubernetes from 1.28 to 1.37, such as 1.37.2 or 1.37; given "${version}"`,
  );
});

const temporary = useTemporaryDirectories();
let tree: string;
beforeEach(() => {
  tree = temporary();
});

it('builds a tree with the Go that it names', () => {
  writeFileSync(join(tree, 'go.mod'), 'module x\n\ngo 1.24.0\n');
  expect(ownSources(tree, './cmd/x')).toMatchObject({ go: '1.24.0', package: './cmd/x', directory: tree });
  writeFileSync(join(tree, 'go.mod'), 'module x\n\ngo 1.24.0\n\ntoolchain go1.25.1\n');
  expect(ownSources(tree, '.').go).toBe('1.25.1');
  writeFileSync(join(tree, '.go-version'), '1.26.5\n');
  expect(ownSources(tree, '.').go).toBe('1.26.5');
});

it('gives a kubelet of a tree the version that the tree names', () => {
  writeFileSync(join(tree, 'go.mod'), 'module k8s.io/kubernetes\n\ngo 1.26.0\n');
  expect(ownSources(tree, './cmd/kubelet')).toMatchObject({ version: tree });
  const place = join(tree, 'staging/src/k8s.io/component-base/version');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'base.go'), 'const (\n\tDefaultKubeBinaryVersion = "1.38"\n)\n');
  const { version, flags } = ownSources(tree, './cmd/kubelet');
  expect(version).toBe('1.38.0-dev');
  expect(flags.join(' ')).toContain('gitVersion=v1.38.0-dev');
});

it('says that a directory is no module', () => {
  expect(() => ownSources(tree, '.')).toThrow(`--source: ${tree} has no go.mod that can be read (ENOENT)`);
});

it('tells a release that the proxy lacks from one that could not be downloaded', () => {
  expect(whyMissing('1.34.4', ['1.34.0', '1.34.4'], 'go mod failed: timeout')).toBe(
    'Kubernetes 1.34.4 could not be downloaded; try again. go mod failed: timeout',
  );
  expect(whyMissing('1.34.9', ['1.34.0'], 'x')).toContain('which names 1.34.0. x');
  expect(whyMissing('1.34.9', [], 'x')).toContain('which names no release of this minor version. x');
});

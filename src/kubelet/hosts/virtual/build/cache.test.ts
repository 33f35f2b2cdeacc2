import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../../../../test/support/temporary.js';
import {
  builtKubelet,
  builtModule,
  builtPrograms,
  cacheDirectory,
  compareVersions,
  findBuilt,
  overlayHash,
} from './cache.js';

const temporary = useTemporaryDirectories();
let directory: string;
beforeEach(() => {
  directory = temporary();
});

const GO = 'go1.26.8';

function keep(version: string, overlay = overlayHash(GO), go = GO, module?: string): void {
  const own = join(directory, `${module ?? 'kubelet'}-${version}`);
  mkdirSync(own);
  writeFileSync(join(own, 'kubelet'), '');
  const manifest = { program: 'kubelet', module, version, go, overlay, sha256: '', bytes: 1, seconds: 2 };
  writeFileSync(join(own, 'manifest.json'), JSON.stringify({ ...manifest, built: '2026-01-01T00:00:00Z' }));
}

it('finds a release, or the newest one of a minor version', () => {
  for (const version of ['1.37.2', '1.37.10', '1.36.3']) keep(version);
  expect(builtKubelet('1.36.3', directory).file).toBe(join(directory, 'kubelet-1.36.3', 'kubelet'));
  expect(builtKubelet('1.37', directory).version).toBe('1.37.10');
  expect(builtPrograms(directory).map(({ version }) => version)).toEqual(['1.36.3', '1.37.2', '1.37.10']);
});

it('says how to build an absent program', () => {
  expect(() => builtKubelet('1.37.2', directory)).toThrow(
    'kubelet 1.37.2 is not built for virtual time (none is built): run mockri kubelet-build --version 1.37.2',
  );
  keep('1.36.3');
  expect(() => builtKubelet('1.37', directory)).toThrow('(built: 1.36.3)');
});

it('does not take what other edits made', () => {
  keep('1.37.2', 'other');
  expect(findBuilt('kubelet', '1.37.2', directory)).toBeUndefined();
  expect(builtPrograms(directory)[0]?.isCurrent).toBe(false);
});

it('does not take what was built with a Go that the edits are not for', () => {
  keep('1.37.2', 'other', 'go1.99.0');
  expect(builtPrograms(directory)[0]?.isCurrent).toBe(false);
});

it('finds a program of a module by its package and version, and no release of Kubernetes', () => {
  keep('1.37.2', overlayHash(GO), GO, 'example.com');
  expect(builtModule('example.com@v1.37.2', directory)?.version).toBe('1.37.2');
  expect(builtModule('example.com@v1.37.3', directory)).toBeUndefined();
  expect(builtModule('example.org@v1.37.2', directory)).toBeUndefined();
  expect(findBuilt('kubelet', '1.37.2', directory)).toBeUndefined();
});

it('ignores a build in progress, a file, and an incomplete manifest', () => {
  mkdirSync(join(directory, '.building-1-x'));
  writeFileSync(join(directory, 'note'), '');
  mkdirSync(join(directory, 'kubelet-1.37.2'));
  writeFileSync(join(directory, 'kubelet-1.37.2', 'manifest.json'), '{}');
  expect(builtPrograms(directory)).toEqual([]);
  expect(builtPrograms(join(directory, 'none'))).toEqual([]);
});

it('is where the user has caches', () => {
  expect(cacheDirectory({ XDG_CACHE_HOME: '/var/cache/me' })).toBe('/var/cache/me/mockri/kubelets');
  // As the specification says, a relative one is ignored.
  expect(cacheDirectory({ XDG_CACHE_HOME: 'cache' })).toBe(join(homedir(), '.cache/mockri/kubelets'));
});

it('orders versions by number', () => {
  expect(['1.37.10', '1.9.0', '1.37.2'].sort(compareVersions)).toEqual(['1.9.0', '1.37.2', '1.37.10']);
});

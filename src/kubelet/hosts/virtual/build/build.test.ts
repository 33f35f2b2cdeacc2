import { expect, test } from 'vitest';
import { isPackage, programName } from './build.js';

test('a program is called after the folder of its package', () => {
  expect(programName({ program: './cmd/kubelet', source: '/trees/kubernetes' })).toBe('kubelet');
  expect(programName({ program: '.', source: '/trees/kubernetes' })).toBe('kubernetes');
  const ofModule = (module: string) => programName({ program: '.', module });
  expect(ofModule('example.com/operator/cmd/manager@v1.2.3')).toBe('manager');
  expect(ofModule('example.com/server/v3@v3.7.0')).toBe('server');
});

test.each(['.', './cmd/kubelet', './.hidden', './a..b'])('%s is a package', (name) => {
  expect(isPackage(name)).toBe(true);
});

test.each(['', './/', './', '..', './cmd/../../other', './cmd/.', 'cmd', '/cmd', './a b'])(
  '%j is not a package of the tree',
  (name) => {
    expect(isPackage(name)).toBe(false);
  },
);

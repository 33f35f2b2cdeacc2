import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { usualKubeconfig } from './kubeconfig.js';

const temporary = useTemporaryDirectories();

test('the files are those that kubectl uses', () => {
  const home = temporary();
  const [usual, own, missing] = [join(home, '.kube', 'config'), join(home, 'own'), join(home, 'missing')];
  expect(usualKubeconfig({}, home)).toEqual([]);
  mkdirSync(join(home, '.kube'));
  writeFileSync(usual, '');
  writeFileSync(own, '');
  expect(usualKubeconfig({}, home)).toEqual([usual]);
  expect(usualKubeconfig({ KUBECONFIG: '' }, home)).toEqual([usual]);
  expect(usualKubeconfig({ KUBECONFIG: `${missing}:${own}` }, home)).toEqual([own]);
  expect(() => usualKubeconfig({ KUBECONFIG: missing }, home)).toThrow(`KUBECONFIG: there is no file`);
});

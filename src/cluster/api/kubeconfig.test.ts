import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { InputError } from '../../base/input/yaml.js';
import { readKubeconfig, usualKubeconfig } from './kubeconfig.js';

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
  const wrong = () => usualKubeconfig({ KUBECONFIG: missing }, home);
  expect(wrong).toThrow(InputError);
  expect(wrong).toThrow(`KUBECONFIG: there is no file`);
});

test('a file or a context that is none is bad input', () => {
  const file = join(temporary(), 'config');
  const clock = createRealClock();
  const context = { name: 'a', context: { cluster: 'c', user: 'u' } };
  writeFileSync(file, JSON.stringify({ contexts: [context] }));
  const read = (name?: string) => () => readKubeconfig([file], name, clock);
  for (const wrong of [read(), read('y'), read('a')]) expect(wrong).toThrow(InputError);
  expect(read('y')).toThrow(`${file}: --context: no context is called "y"; there is only a`);
  expect(read('a')).toThrow(`${file}: no cluster is called "c"; there are none`);
});

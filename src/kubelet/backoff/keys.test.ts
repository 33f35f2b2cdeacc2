import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { kubeletVersion } from '../config/version.js';
import { backOffKey, hashContainer } from './keys.js';

const old = kubeletVersion('1.30');
const stable = kubeletVersion('1.33');
const present = kubeletVersion('1.36');

describe('hashContainer', () => {
  test('gives the value of the kubelet’s own test', () => {
    const container = aContainer({ name: 'test_container', image: 'foo/image:v1', command: ['sh'] });
    expect(hashContainer(container, present)).toBe('8e45cbd0');
  });

  test('covers the whole container until 1.30, image and name after', () => {
    const one = aContainer({ command: ['a'] });
    const other = aContainer({ command: ['b'] });
    expect(hashContainer(one, old)).not.toBe(hashContainer(other, old));
    expect(hashContainer(one, present)).toBe(hashContainer(other, present));
    expect(hashContainer(one, present)).not.toBe(hashContainer(aContainer({ image: 'other' }), present));
  });
});

describe('backOffKey', () => {
  const pod = aPod({});
  test('is readable until 1.33', () => {
    expect(backOffKey(pod, aContainer({}), stable)).toMatch(/^web_default_uid-1_app_[0-9a-f]+$/);
  });

  test('changes only with image and resources from 1.34 on', () => {
    const key = (container: Parameters<typeof aContainer>[0]) =>
      backOffKey(pod, aContainer(container), present);
    expect(key({})).toMatch(/^[0-9a-f]{1,16}$/);
    expect(key({ command: ['b'] })).toBe(key({}));
    expect(key({ image: 'other' })).not.toBe(key({}));
    expect(key({ resources: { limits: { cpu: '1' }, requests: {} } })).not.toBe(key({}));
  });
});

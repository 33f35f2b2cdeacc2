import { expect, test } from 'vitest';
import { profileOfNode } from './of-node.js';

test.each([
  ['containerd://1.7.27', 'containerd-2.3'],
  ['containerd://2.2.1-k3s1', 'containerd-2.3'],
  ['containerd://2.9.0', 'containerd-2.4'],
  ['containerd://1.4.3', 'containerd-2.3'],
  ['cri-o://1.30.4', 'cri-o-1.36'],
  ['docker://28.1.0', 'cri-dockerd-0.4'],
  ['mock://0.1.0', undefined],
  ['strict://1.0', undefined],
  ['', undefined],
])('the profile of %j is %s', (text, name) => {
  expect(profileOfNode(text)).toBe(name);
});

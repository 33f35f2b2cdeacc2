import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { qosClass } from './qos-class.js';

const some = { cpu: '100m', memory: '64Mi' };
const none = { limits: {}, requests: {} };

test.each([
  ['of the container without those of the pod', undefined, { limits: some, requests: some }, 'Guaranteed'],
  ['of the pod alone', { limits: some, requests: some }, none, 'Guaranteed'],
  ['of the pod with less requested', { limits: some, requests: { cpu: '50m' } }, none, 'Burstable'],
  [
    'of the pod before those of the container',
    { limits: {}, requests: { cpu: '1' } },
    { limits: some, requests: some },
    'Burstable',
  ],
  ['of neither', { limits: {}, requests: {} }, none, 'BestEffort'],
])('resources %s', (_, ofPod, ofContainer, expected) => {
  const pod = aPod({ containers: [aContainer({ resources: ofContainer })] });
  expect(qosClass({ spec: { ...pod.spec, resources: ofPod } })).toBe(expected);
});

import type { ContainerStatus } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import { must, mustEqual } from '../../expect.js';
import { isOf, key } from '../steps/whole-life.js';

const FIXED = [
  'metadata',
  'createdAt',
  'image',
  'imageRef',
  'imageId',
  'labels',
  'annotations',
  'mounts',
  'logPath',
] as const satisfies readonly (keyof ContainerStatus)[];

export const wholeStatusChecks: Checks = {
  async 'INV-32.whole-statuses'(t) {
    const recorder = await t.recordEvents();
    const sandbox = await t.sandbox();
    const mounts = [{ containerPath: '/mnt/check', hostPath: t.directory, readonly: true }];
    const about = { mounts, labels: { a: 'b' }, annotations: { c: 'd' } };
    const containerId = await t.start(sandbox, about);
    const status = await t.status(containerId);
    await t.cri.stopContainer({ containerId, timeout: 0n });
    for (const name of ['STARTED', 'STOPPED'] as const) {
      const event = await recorder.waitFor(isOf(containerId, name), `${name} of the container`, t.patience);
      const told = event.containersStatuses.find(({ id }) => id === containerId);
      must(told !== undefined, `a status of the container in ${key(event)}`, event);
      for (const field of FIXED) mustEqual(told[field], status[field], `${field} in ${name}`);
    }
  },
};

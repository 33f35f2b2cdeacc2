import type { Deviation, Profile } from './deviation.js';

const SOURCE = 'https://github.com/cri-o/cri-o/blob/main/server';

const deviation = (check: string, file: string, why: string): Deviation => ({
  check,
  why,
  link: `${SOURCE}/${file}`,
});

/** From the source of 1.36; not observed in a run. */
export const crio: Profile = {
  name: 'cri-o',
  deviations: [
    deviation(
      'INV-09.not-found',
      'container_create.go',
      'CreateContainer and ContainerStats of an unknown id return UNKNOWN',
    ),
    deviation('INV-11.wrong-state', 'container_start.go', 'a wrong state returns UNKNOWN'),
    deviation('INV-11.invalid', 'sandbox_run.go', 'a malformed request returns UNKNOWN'),
    deviation('INV-11.name-taken', 'container_create.go', 'the existing id is returned, with OK'),
    deviation('INV-14.ambiguous', 'sandbox_stop.go', 'an ambiguous sandbox prefix is treated as not found'),
    deviation('INV-22', 'sandbox_run.go', 'labels and annotations are added when missing'),
    deviation('INV-25.order', 'container_status.go', 'times of future events are negative'),
    deviation('INV-29.sandbox', 'sandbox_remove.go', 'the sandbox’s DELETED is not sent'),
    deviation(
      'INV-29.unsubscribed',
      'container_events.go',
      'the stream ends immediately unless enable_pod_events is set',
    ),
    deviation(
      'INV-34.removal-order',
      'sandbox_remove.go',
      'containers that are removed with their pod send no DELETED',
    ),
    deviation('INV-37.remove', 'image_remove.go', 'RemoveImage by name only untags while other names exist'),
    deviation('INV-43.timeout', 'container_execsync.go', 'a timeout returns OK with exit code -1'),
  ],
};

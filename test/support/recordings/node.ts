import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import type { BackendParts } from '../../../src/lab/scenario/simulation/open-simulation.js';
import type { Backend } from '../../../src/runtime/engine/backend.js';

/** The only image of the recorded pods. */
const PRESENT = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const MISSING = 'localhost:5000/nope:1';

/** The memory backend with the images of the node where the real kubelet was recorded. */
export function createRecordedNode({ clock, disk }: Pick<BackendParts, 'clock' | 'disk'>): Backend {
  const message = `failed to pull and unpack image "${MISSING}": failed to resolve reference "${MISSING}": ${MISSING}: not found`;
  return createMemoryBackend({
    clock,
    disk,
    presentImages: [PRESENT],
    pulls: [{ match: MISSING, fail: { kind: 'not-found', message } }],
  });
}

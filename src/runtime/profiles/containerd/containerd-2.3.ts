import { missingRpcs, STREAMS } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedConfig, recordedTimes } from '../recorded.js';
import { containerd24 } from './containerd-2.4.js';
import { answerOf, type ErrorTexts } from './errors.js';
import { containerdReplies } from './replies.js';

const texts: ErrorTexts = {
  noCgroup: (id) => `failed to get cgroup metrics for sandbox ${id} because cgroupPath is empty`,
  absentImage: 'failed to check if this is a checkpoint image: ',
};

const config = recordedConfig('containerd/config-2.3.json');

/** containerd 2.3, measured with 2.3.7 (docs/profiles.md). */
export const containerd23: RuntimeProfile = {
  ...containerd24,
  name: 'containerd-2.3',
  runtime: { name: 'containerd', version: '2.3.7+unknown' },
  missing: missingRpcs(STREAMS, [...STREAMS, 'UpdatePodSandboxResources']),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency: recordedTimes('containerd/latency-2.3.json'),
  // The NRI version from its go.mod.
  nri: { version: 'v0.12.0' },
  replies: containerdReplies(config, { needsAll: true, threads: false, longStart: true }),
};

import type { RuntimeProfile } from '../profile.js';
import { containerd21 } from './containerd-2.1.js';
import { answerOf, type ErrorTexts } from './errors.js';
import { latency } from './latency-1.7.js';
import { missingRpcs } from './missing.js';
import { containerdReplies } from './replies.js';

const texts: ErrorTexts = {
  nameTaken: 'UNKNOWN',
  containerNameHint: '',
  noHandler: () => 'failed to get sandbox runtime: ',
  noSandboxUser: () => '',
  absentImage: '',
  ociFailed: ': unknown',
};

/** containerd 1.7, measured with 1.7.24 (docs/profiles.md). */
export const containerd17: RuntimeProfile = {
  name: 'containerd-1.7',
  rules: {
    ...containerd21.rules,
    createInStoppedSandbox: false,
    users: false,
    deletedStatus: false,
    startFailure: (message) => `${message}${texts.ociFailed}`,
  },
  // One channel of 1,000 for all subscribers (container_events.go).
  events: { overflow: 'drop', queueSize: 1000, replay: true, reach: 'one' },
  missing: missingRpcs([
    'ListMetricDescriptors',
    'ListPodSandboxMetrics',
    'RuntimeConfig',
    'CheckpointContainer',
  ]),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency,
  replies: containerdReplies({ version: '1.7.24~ds1', listsHandlers: false, ociFailed: texts.ociFailed }),
};

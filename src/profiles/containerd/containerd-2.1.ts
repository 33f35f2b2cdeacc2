import type { RuntimeProfile } from '../profile.js';
import { answerOf, type ErrorTexts } from './errors.js';
import { latency } from './latency-2.1.js';
import { missingRpcs } from './missing.js';
import { containerdHandlers, containerdReplies } from './replies.js';
import { shownResources } from './resources.js';

const texts: ErrorTexts = {
  nameTaken: 'FAILED_PRECONDITION',
  containerNameHint: '; check if another CreateContainer request is in progress',
  noHandler: (id) => `unable to get OCI runtime for sandbox "${id}": `,
  noSandboxUser: (id) => `failed to start sandbox "${id}": `,
  absentImage: 'failed to check if this is a checkpoint image: ',
  ociFailed: '',
};

/** containerd 2.1, measured with 2.1.9 (docs/profiles.md). */
export const containerd21: RuntimeProfile = {
  name: 'containerd-2.1',
  rules: {
    emptyNames: true,
    createInStoppedSandbox: true,
    updateExited: true,
    failedStartEvent: false,
    podContainers: false,
    imageIds: false,
    users: true,
    deletedStatus: true,
    stopSignals: false,
    statsOfStopped: true,
    lookupFirst: true,
    checksStreams: false,
    refusesBusy: true,
    resources: shownResources,
    startFailure: (message) => message,
    failedInStoppedSandbox: (id) => `sandbox container "${id}" is not running`,
    handlers: containerdHandlers,
  },
  // internal/eventq: a channel of 100 for each subscriber; a sender waits for space.
  events: { overflow: 'block', queueSize: 100, replay: true },
  missing: missingRpcs(['ListMetricDescriptors', 'ListPodSandboxMetrics']),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency,
  replies: containerdReplies({ version: '2.1.9+unknown', listsHandlers: true, ociFailed: texts.ociFailed }),
};

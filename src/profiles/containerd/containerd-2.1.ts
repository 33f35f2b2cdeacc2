import { missingRpcs } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { containerdChecks } from './checks.js';
import { config } from './config-2.1.js';
import { answerOf, type ErrorTexts, runcText } from './errors.js';
import { latency } from './latency-2.1.js';
import { containerdHandlers, containerdReplies } from './replies.js';
import { shownResources } from './resources.js';
import { shownLayer } from './stats.js';

const texts: ErrorTexts = {
  nameTaken: 'FAILED_PRECONDITION',
  containerNameHint: '; check if another CreateContainer request is in progress',
  noHandler: (id) => `unable to get OCI runtime for sandbox "${id}": `,
  noSandboxUser: (id) => `failed to start sandbox "${id}": `,
  noNetwork: (id) => `failed to create network namespace for sandbox "${id}": `,
  noSpecOpts: 'failed to generate spec opts: ',
  listStats: ([first = '']) => first,
  absentImage: 'failed to check if this is a checkpoint image: ',
  ociFailed: '',
};

/** containerd 2.1, measured with 2.1.9 (docs/profiles.md). */
export const containerd21: RuntimeProfile = {
  name: 'containerd-2.1',
  rules: {
    emptyNames: true,
    namesInPod: true,
    checks: containerdChecks({ texts, cdi: true, imageMounts: true, idRange: true }),
    negativeTimeouts: true,
    createInStoppedSandbox: true,
    updateExited: true,
    updatesNothing: true,
    findsProgramFirst: false,
    failedStartEvent: false,
    podContainers: false,
    wholeImages: false,
    imageIds: false,
    users: true,
    deletedStatus: true,
    recursiveReadOnly: true,
    repeatsDeleted: true,
    stopSignals: false,
    statsOfStopped: true,
    statsNeedCgroup: true,
    lookupFirst: true,
    checksStreams: false,
    checksInStream: false,
    refusesBusy: true,
    resources: shownResources,
    writableLayer: shownLayer,
    startFailure: (message) => runcText(message, texts),
    failedInStoppedSandbox: (id) => `sandbox container "${id}" is not running`,
    handlers: containerdHandlers,
  },
  // internal/eventq: a channel of 100 for each subscriber; a sender waits for space.
  events: { overflow: 'block', queueSize: 100, replay: true },
  missing: missingRpcs(['ListMetricDescriptors', 'ListPodSandboxMetrics']),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency,
  replies: containerdReplies({
    version: '2.1.9+unknown',
    listsHandlers: true,
    ociFailed: texts.ociFailed,
    info: { golang: 'go1.27.1', config, ociVersion: '1.2.1', showsHandler: false },
  }),
};

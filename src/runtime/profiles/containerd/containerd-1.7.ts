import { missingRpcs } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedConfig, recordedTimes } from '../recorded.js';
import { containerdChecks } from './checks.js';
import { containerd21, texts as containerd21Texts } from './containerd-2.1.js';
import { answerOf, type ErrorTexts, runcText } from './errors.js';
import { containerdReplies } from './replies.js';
import { shownPodStats } from './stats.js';

/** In the format of hashicorp's go-multierror. */
const joined = (errors: readonly string[]): string => {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  return `${count} occurred:\n${errors.map((error) => `\t* ${error}\n`).join('')}\n`;
};

const texts: ErrorTexts = {
  nameTaken: 'UNKNOWN',
  containerNameHint: '',
  noHandler: () => 'failed to get sandbox runtime: ',
  noSandboxUser: () => '',
  noNetwork: (id) => `failed to create network namespace for sandbox "${id}": `,
  noSpecOpts: '',
  listStats: joined,
  noCgroup: containerd21Texts.noCgroup,
  absentImage: '',
  ociFailed: ': unknown',
  stoppedIsSeen: false,
};

const config = recordedConfig('containerd/config-1.7.json');

/** containerd 1.7, measured with 1.7.24 (docs/profiles.md). */
export const containerd17: RuntimeProfile = {
  name: 'containerd-1.7',
  runtime: { name: 'containerd', version: '1.7.24~ds1' },
  rules: {
    ...containerd21.rules,
    checks: containerdChecks({ texts, cdi: false, imageMounts: false, groupPolicies: false, idRange: false }),
    createInStoppedSandbox: false,
    users: false,
    recursiveReadOnly: false,
    deletedStatus: false,
    startFailure: (message) => runcText(message, texts),
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
  latency: recordedTimes('containerd/latency-1.7.json'),
  replies: (clock) =>
    containerdReplies(
      {
        features: undefined,
        podStats: shownPodStats,
        ociFailed: texts.ociFailed,
        removalsClash: false,
        info: { golang: 'go1.24.4', config: config(), ociVersion: '1.2.0', sysctls: {}, showsHandler: true },
      },
      clock,
    ),
};

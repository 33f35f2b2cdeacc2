import { missingRpcs, STREAMS } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedConfig, recordedTimes } from '../recorded.js';
import { containerdChecks } from './checks.js';
import { containerd21, SYSCTLS, texts as texts21 } from './containerd-2.1.js';
import { answerOf, type ErrorTexts, runcText } from './errors.js';
import type { MetricFacts } from './metrics.js';
import { newerReplies } from './replies-2.4.js';
import { shownPodStatsOfAll } from './stats.js';

export const texts: ErrorTexts = {
  ...texts21,
  noCgroup: (id) => `sandbox "${id}" has no cgroup parent`,
  listStats: (errors) => errors.join('\n'),
  absentImage: '',
  stoppedIsSeen: true,
};

const config = recordedConfig('containerd/config-2.4.json');

/** Replies of 2.3 and later, with the config that the version shows. */
export const newerRepliesOf =
  ({ ociFailed }: ErrorTexts, config: () => object, metrics: MetricFacts): RuntimeProfile['replies'] =>
  (clock, streamItems) =>
    newerReplies(
      {
        features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: true, mountOptions: false },
        podStats: shownPodStatsOfAll,
        ociFailed,
        removalsClash: true,
        info: {
          golang: 'go1.26.8',
          config: config(),
          ociVersion: '1.3.0',
          sysctls: SYSCTLS,
          showsHandler: false,
        },
      },
      metrics,
      clock,
      streamItems,
    );

export const containerd24: RuntimeProfile = {
  ...containerd21,
  name: 'containerd-2.4',
  runtime: { name: 'containerd', version: '2.4.2+unknown' },
  rules: {
    ...containerd21.rules,
    checks: containerdChecks({ texts, cdi: true, imageMounts: true, groupPolicies: true, idRange: true }),
    createInStoppedSandbox: false,
    imageIds: true,
    stopSignals: true,
    startFailure: (message) => runcText(message, texts),
  },
  missing: missingRpcs(
    ['CheckpointPod', 'RestorePod'],
    [...STREAMS, 'UpdatePodSandboxResources', 'CheckpointPod', 'RestorePod'],
  ),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency: recordedTimes('containerd/latency-2.4.json'),
  replies: newerRepliesOf(texts, config, { needsAll: false, threads: true, longStart: false }),
};

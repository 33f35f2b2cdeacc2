import { missingRpcs, STREAMS } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedConfig, recordedTimes } from '../recorded.js';
import { containerdChecks } from './checks.js';
import { SYSCTLS, texts as texts21 } from './containerd-2.1.js';
import { containerd24, texts as texts24 } from './containerd-2.4.js';
import { answerOf, type ErrorTexts, runcText } from './errors.js';
import { newerReplies } from './replies-2.4.js';
import { shownPodStatsOfAll } from './stats.js';

const texts: ErrorTexts = { ...texts24, noCgroup: texts21.noCgroup, absentImage: texts21.absentImage };

const config = recordedConfig('containerd/config-2.3.json');

/** containerd 2.3, measured with 2.3.7 (docs/profiles.md). */
export const containerd23: RuntimeProfile = {
  ...containerd24,
  name: 'containerd-2.3',
  runtime: { name: 'containerd', version: '2.3.7+unknown' },
  rules: {
    ...containerd24.rules,
    checks: containerdChecks({ texts, cdi: true, imageMounts: true, groupPolicies: true, idRange: true }),
    startFailure: (message) => runcText(message, texts),
  },
  missing: missingRpcs(STREAMS, [...STREAMS, 'UpdatePodSandboxResources']),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency: recordedTimes('containerd/latency-2.3.json'),
  // From its go.mod.
  nri: { version: 'v0.12.0' },
  replies: (clock, streamItems) =>
    newerReplies(
      {
        features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: true, mountOptions: false },
        podStats: shownPodStatsOfAll,
        ociFailed: texts.ociFailed,
        removalsClash: true,
        info: {
          golang: 'go1.26.8',
          config: config(),
          ociVersion: '1.3.0',
          sysctls: SYSCTLS,
          showsHandler: false,
        },
      },
      { needsAll: true, threads: false, longStart: true },
      clock,
      streamItems,
    ),
};

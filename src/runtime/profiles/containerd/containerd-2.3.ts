import { missingRpcs, STREAMS } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedConfig, recordedTimes } from '../recorded.js';
import { containerdChecks } from './checks.js';
import { texts as texts21 } from './containerd-2.1.js';
import { containerd24, newerRepliesOf, texts as texts24 } from './containerd-2.4.js';
import { answerOf, type ErrorTexts, runcText } from './errors.js';

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
  // The NRI version from its go.mod.
  nri: { version: 'v0.12.0' },
  replies: newerRepliesOf(texts, config, { needsAll: true, threads: false, longStart: true }),
};

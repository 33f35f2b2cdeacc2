import { strictRules } from '../../engine/rules.js';
import { missingRpcs } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { answerOf } from './errors.js';
import { crioHandlers, crioReplies } from './replies.js';

/** CRI-O 1.34 with its default config and crun: from the source of 1.34.11, not measured (docs/profiles.md). */
export const crio134: RuntimeProfile = {
  name: 'cri-o-1.34',
  rules: {
    ...strictRules,
    namesInPod: true,
    negativeTimeouts: true,
    updatesNothing: true,
    findsProgramFirst: true,
    podContainers: false,
    lookupFirst: true,
    checksStreams: false,
    checksInStream: true,
    stopSignals: false,
    handlers: crioHandlers,
  },
  events: {},
  missing: missingRpcs([], ['UpdatePodSandboxResources']),
  answer: (method, error) => answerOf(method, error),
  replies: crioReplies('1.34.11'),
  latency: undefined,
};

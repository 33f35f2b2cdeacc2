import { missingRpcs, STREAMS } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedTimes } from '../recorded.js';
import { crio134 } from './cri-o-1.34.js';
import { newerReplies } from './replies-1.36.js';

/** CRI-O 1.36 with its default config except for runc, measured with 1.36.1 (docs/profiles.md). */
export const crio136: RuntimeProfile = {
  ...crio134,
  name: 'cri-o-1.36',
  runtime: { name: 'cri-o', version: '1.36.1' },
  rules: { ...crio134.rules, stopSignals: true },
  missing: missingRpcs([], [...STREAMS, 'UpdatePodSandboxResources']),
  // server/server.go, streamChunkSize
  streamItems: 3000,
  replies: newerReplies,
  latency: recordedTimes('cri-o/latency-1.36.json'),
};

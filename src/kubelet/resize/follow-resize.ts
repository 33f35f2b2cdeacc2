import type { Pod } from '../kubernetes/pod.js';
import type { Recorder } from '../types/ports.js';
import type { ResizeConditions } from './resize-conditions.js';
import { resizeMessage } from './resize-message.js';

export interface ResizeReports {
  readonly conditions: ResizeConditions;
  readonly recorder: Recorder;
}

/** Before a sync (kubelet.go SyncPod): the pod is being resized, or its resize is complete. */
export function followResize(pod: Pod, inProgress: boolean, { conditions, recorder }: ResizeReports): void {
  if (inProgress) {
    conditions.setInProgress(pod);
    return;
  }
  const generation = conditions.clearInProgress(pod.metadata.uid);
  if (generation === undefined) return;
  recorder.event(pod, 'Normal', 'ResizeCompleted', resizeMessage('Pod resize completed', pod, generation));
}

export function reportFailedResize(pod: Pod, message: string, { conditions, recorder }: ResizeReports): void {
  const { generation, changed } = conditions.setInProgress(pod, 'Error', message);
  if (!changed) return;
  recorder.event(pod, 'Warning', 'ResizeError', resizeMessage('Pod resize error', pod, generation, message));
}

import { formatDuration } from '../../input/duration.js';
import type { SimulatedKubelet } from './run.js';

/** An exit of the kubelet in words. */
export const exitText = ({ text, restarts }: SimulatedKubelet): string => {
  const again =
    restarts === undefined
      ? ''
      : `; the service manager restarts it after ${formatDuration(restarts * 1000)}`;
  return `the kubelet exits: ${text ?? ''}${again}`;
};

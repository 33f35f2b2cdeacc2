import { formatDuration } from '../../../base/input/duration.js';
import type { SimulatedKubelet } from './run.js';

/** Describes an exit of the kubelet; `when` is for example "at 3 s". */
export const exitText = ({ text, restarts }: SimulatedKubelet, when?: string): string => {
  const again =
    restarts === undefined
      ? ''
      : `; the service manager restarts it after ${formatDuration(restarts * 1000)}`;
  return `the kubelet exits${when === undefined ? '' : ` ${when}`}: ${text ?? ''}${again}`;
};

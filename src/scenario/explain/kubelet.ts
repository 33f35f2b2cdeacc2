import { exitText } from '../run/exit-text.js';
import type { Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';

/** Why the kubelet itself exited. */
export const explainKubelet = ({ kubelets }: Simulation): Explanation[] =>
  kubelets
    .filter(({ what }) => what === 'exited')
    .map((exit) => ({
      t: exit.t,
      text: `${sentence(exitText(exit))}. Without an answer to its first call a kubelet does not run: it does nothing for its pods until then.`,
    }));

const sentence = (text: string): string => text[0]?.toUpperCase() + text.slice(1);

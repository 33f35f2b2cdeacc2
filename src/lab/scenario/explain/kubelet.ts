import { exitText } from '../run/exit-text.js';
import type { Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';

/** Why the kubelet itself exited. */
export const explainKubelet = ({ kubelets }: Simulation): Explanation[] =>
  kubelets
    .filter(({ what }) => what === 'exited')
    .map((exit) => ({
      t: exit.t,
      text: `${sentence(exitText(exit))}. Until it runs again, nothing manages its pods. Running containers keep running.`,
    }));

const sentence = (text: string): string => text[0]?.toUpperCase() + text.slice(1);

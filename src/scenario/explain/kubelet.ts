import type { Simulation } from '../run.js';
import { KUBELET_EXIT } from '../run.js';
import type { Finding } from './finding.js';

/** Why the kubelet itself exited. */
export const explainKubelet = ({ steps }: Simulation): Finding[] =>
  steps
    .filter(({ text }) => text.startsWith(KUBELET_EXIT))
    .map(({ t, text }) => ({
      t,
      text: `${sentence(text)}. Without an answer to its first call a kubelet does not run: it does nothing for its pods until then.`,
    }));

const sentence = (text: string): string => text[0]?.toUpperCase() + text.slice(1);

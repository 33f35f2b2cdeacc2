import type { TapePoints } from '../points/points.js';
import { perturbCall } from './calls.js';
import { perturbMessage } from './messages.js';
import { perturbMoment } from './moments.js';
import type { Perturbation } from './perturbation.js';

/** A perturbation with the state in which it comes. */
export interface Candidate {
  readonly perturbation: Perturbation;
  readonly state: string;
}

/** All that can go wrong in a run, ordered by time. */
export function candidatesOf({ points, moments }: TapePoints): Candidate[] {
  const found = [
    ...points.flatMap((point) =>
      (point.what === 'call' ? perturbCall(point) : perturbMessage(point)).map((perturbation) => ({
        perturbation,
        state: point.state,
      })),
    ),
    ...moments.flatMap((moment) =>
      perturbMoment(moment).map((perturbation) => ({ perturbation, state: moment.state })),
    ),
  ];
  const unique = new Map<string, Candidate>();
  for (const each of found) if (!unique.has(each.perturbation.id)) unique.set(each.perturbation.id, each);
  return [...unique.values()].sort((a, b) => a.perturbation.at - b.perturbation.at);
}

/** Whether `--only` chooses it: by its family, a part of its kind, or a method. Without words, all are chosen. */
export const isChosen = ({ family, kind }: Perturbation, only: readonly string[]): boolean =>
  only.length === 0 ||
  only.some((word) => word === family || kind.toLowerCase().includes(word.toLowerCase()));

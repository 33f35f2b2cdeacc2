import type { TapePoints } from '../points/points.js';
import { perturbCall } from './calls.js';
import { perturbMessage } from './messages.js';
import { perturbMoment } from './moments.js';
import type { Perturbation } from './perturbation.js';

export interface Candidate {
  readonly perturbation: Perturbation;
  readonly state: string;
}

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

/** Matches `--only` against the family, a part of the kind, or a method. Without words, everything matches. */
export const isChosen = ({ family, kind }: Perturbation, only: readonly string[]): boolean =>
  only.length === 0 ||
  only.some((word) => word === family || kind.toLowerCase().includes(word.toLowerCase()));

import type { Perturbation } from '../../src/lab/explore/catalog/perturbation.js';

/** A perturbation without effect, with the fields of a test. */
export const aPerturbation = (more: Partial<Perturbation> = {}): Perturbation => ({
  id: 'x',
  kind: 'x',
  family: 'x',
  text: 'x',
  pod: '',
  at: 0,
  until: 0,
  rules: [],
  steps: [],
  ...more,
});

import type { ContainerSpec } from '../../engine/backend.js';
import type { Container } from '../gen/nri/v1alpha1/api.js';
import type { NriRules } from '../rules.js';

export const asShown = (
  inSpec: Container,
  { config }: Pick<ContainerSpec, 'config'>,
  { annotationsInSpec }: Pick<NriRules, 'annotationsInSpec'>,
): Container =>
  annotationsInSpec ? inSpec : { ...inSpec, annotations: { ...inSpec.annotations, ...config.annotations } };

import type { ContainerSpec } from '../../engine/backend.js';
import type { Container } from '../gen/nri/v1alpha1/api.js';
import type { NriRules } from '../rules.js';

/** A container with the annotations that plugins see, made from one with those of its OCI spec. */
export const asShown = (
  inSpec: Container,
  { config }: Pick<ContainerSpec, 'config'>,
  { annotationsInSpec }: Pick<NriRules, 'annotationsInSpec'>,
): Container =>
  annotationsInSpec ? inSpec : { ...inSpec, annotations: { ...inSpec.annotations, ...config.annotations } };

import type { CriService } from './service.js';

/** Wraps a service: sees each call before the service below does, and each reply after it. */
export type Layer = (below: CriService) => CriService;

/** Applies layers to a service, the innermost first. Clients call the last one. */
export const stack = (service: CriService, layers: readonly Layer[]): CriService =>
  layers.reduce((below, layer) => layer(below), service);

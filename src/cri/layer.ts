import type { CriService } from './service.js';

/** Makes a service in front of another one: it sees each call before the service below does, and each reply after it. */
export type Layer = (below: CriService) => CriService;

/** Puts layers on a service, the innermost first. What clients call is the last one. */
export const stack = (service: CriService, layers: readonly Layer[]): CriService =>
  layers.reduce((below, layer) => layer(below), service);

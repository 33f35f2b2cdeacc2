import type { PodName } from './entries.js';

/** A pod's unambiguous name: `web`, or `blue/web` outside namespace `default`. */
export const podText = ({ name, namespace }: Pick<PodName, 'name' | 'namespace'>): string =>
  namespace === 'default' ? name : `${namespace}/${name}`;

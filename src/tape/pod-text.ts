import type { PodName } from './entries.js';

/** A pod as people name it, and no two pods alike: `web`, or `blue/web` outside of the namespace `default`. */
export const podText = ({ name, namespace }: Pick<PodName, 'name' | 'namespace'>): string =>
  namespace === 'default' ? name : `${namespace}/${name}`;

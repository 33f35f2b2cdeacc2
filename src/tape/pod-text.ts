import type { PodName, Subject } from './entries.js';

/** A pod's unambiguous name: `web`, or `blue/web` outside namespace `default`. */
export const podText = ({ name, namespace }: Pick<PodName, 'name' | 'namespace'>): string =>
  namespace === 'default' ? name : `${namespace}/${name}`;

/** `default/web app(0)`; empty for the node. */
export const subjectText = ({ pod, container }: Subject): string =>
  [pod && `${pod.namespace}/${pod.name}`, container && `${container.name}(${container.attempt ?? 0})`]
    .filter(Boolean)
    .join(' ');

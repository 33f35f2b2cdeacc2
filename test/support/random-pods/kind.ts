import type { Difference } from './compare.js';

/** Equal for similar differences of any pod, container, attempt and time. */
export const kindOf = ({ track, what }: Difference): string =>
  `${track}: ${what}`
    .replace(/\b(app|init)\d+\b/g, '$1')
    .replace(/registry\.example\/[^:]*:1/g, 'IMAGE')
    .replace(/localhost\/no-such-image\/[^:]*:1/g, 'MISSING')
    .replace(/\br\d+-[\w-]+\b/g, 'POD')
    .replace(/\d+(\.\d+)?/g, 'N');

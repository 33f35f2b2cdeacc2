import { counted } from '../../input/counted.js';
import type { ReproduceProgress } from '../../reproduce/reproduce.js';
import { causeKey } from '../../reproduce/search/cause-key.js';

/** How far a search is, with the best so far. */
export function progressText({ runs, best }: ReproduceProgress): string {
  if (best === undefined) return counted(runs, 'run');
  return `${counted(runs, 'run')}, best ${best.score.toFixed(2)}: ${causeKey(best.planned.schedule) || 'no fault'}`;
}

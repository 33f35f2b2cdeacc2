import { counted } from '../../../base/input/counted.js';
import type { ExploreProgress } from '../../../lab/explore/explore.js';

/** How far an exploration is, of a kubelet of this version. */
export function progressText(
  { schedules, perSecond, coverage, findings, reduced }: ExploreProgress,
  version: string | undefined,
): string {
  const kubelet = version === undefined ? '' : `kubelet ${version}: `;
  const what = reduced === undefined ? '' : `, ${reduced} of them reduced`;
  return `${kubelet}${counted(schedules, 'schedule')}, ${perSecond.toFixed(1)} a second, ${counted(coverage, 'state')}, ${counted(findings, 'kind')} of findings${what}`;
}

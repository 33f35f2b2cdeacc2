import { type Aligned, align } from '../../../base/input/align.js';
import type { SimulatedRow, Simulation } from '../../scenario/run/run.js';
import type { Schedule } from '../catalog/perturbation.js';
import type { ScheduleFinding } from './finding.js';

export const AGREE = 'kubelets-agree';

/** Rows shorter than this, in seconds, may be missing: a status is sent after the previous one has arrived. */
const BRIEF = 0.5;

/** In seconds: one kubelet may show the other's final state this much later (syncs every 60 to 90 s). */
const LATE = 90;

/** The first row of each pod that only one of two runs has, regardless of time. `until` is their length in ms. */
export function disagreements(
  program: Simulation,
  thin: Simulation,
  schedule: Schedule,
  until: number,
): ScheduleFinding[] {
  const pods = new Set([...program.rows, ...thin.rows].map(({ pod }) => pod));
  return [...pods].flatMap((pod) => {
    const [real, own] = [program, thin].map(({ rows }) =>
      lastingRows(
        rows.filter((row) => row.pod === pod),
        until / 1000,
      ),
    ) as [SimulatedRow[], SimulatedRow[]];
    const first = align([real, own], textOf).find(
      ({ item, found }) => found.includes(undefined) && item.t <= until / 1000 - LATE,
    );
    return first === undefined ? [] : [{ rule: AGREE, pod, message: messageOf(first), expect: {}, schedule }];
  });
}

/** Rows that last for some time; merges equal successive ones. */
function lastingRows(rows: readonly SimulatedRow[], end: number): SimulatedRow[] {
  const lasting = rows.filter(({ t }, index) => (rows[index + 1]?.t ?? end) - t >= BRIEF);
  return lasting.filter(
    (row, index) => index === 0 || textOf(row) !== textOf(lasting[index - 1] as SimulatedRow),
  );
}

const textOf = ({ ready, status, restarts }: SimulatedRow): string => `${ready} ${status} ${restarts}`;

function messageOf({ item, found: [real] }: Aligned<SimulatedRow>): string {
  const [has, lacks] = real === undefined ? ['thin kubelet', 'program'] : ['program', 'thin kubelet'];
  return `at ${item.t.toFixed(1)}s the ${has} shows ${textOf(item)}, and the ${lacks} does not`;
}

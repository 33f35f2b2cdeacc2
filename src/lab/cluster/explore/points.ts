import { formatDuration } from '../../../base/input/duration.js';
import { type ClusterFault, type FaultText, faultSchema } from '../file/schema.js';
import { type ApiRequest, isWrite } from '../proxy/api-request.js';

/** What a program did in the run without faults, in order. */
export interface Seen {
  readonly program: string;
  readonly verb: ApiRequest['verb'];
  readonly resource: string;
  /** ms since the start of the scenario. */
  readonly time: number;
}

/** A fault that one run tries. */
export interface Try {
  readonly fault: ClusterFault;
  /** As written in a scenario, or after `--fault`. */
  readonly text: FaultText;
  /** ms after the end of the scenario until it has no more effect. */
  readonly lasts: number;
}

/** In ms: how long a watch cannot begin again, in which events become one. */
const CUT = 10_000;

/** Events of one resource within this many ms are one: a program may have several watches of it. */
const TOGETHER = 1;

/**
 * The patterns of Sieve (Sun and others, OSDI 2022) at each event and write of a program: from then on it sees the past
 * (`delay`), it misses states between two (`disconnect`), and it stops before or after a write (`kill`). First at the first
 * event of each resource, and there first at those of resources that the program creates: it decides by them what to create.
 */
export function triesOf(seen: readonly Seen[], until: number): readonly Try[] {
  const counts = new Map<string, number>();
  const last = new Map<string, number>();
  const number = (key: string): number => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) ?? 0;
  };
  const created = new Set(
    seen.filter(({ verb }) => verb === 'create').map(({ program, resource }) => `${program} ${resource}`),
  );
  const made = seen.flatMap(({ program, verb, resource, time }) => {
    if (verb === 'watch') {
      const key = `${program} ${resource}`;
      const isSame = time - (last.get(key) ?? Number.NEGATIVE_INFINITY) < TOGETHER;
      last.set(key, time);
      if (isSame || time >= until) return [];
      const nth = number(key);
      const rank = created.has(key) ? nth - 0.5 : nth;
      const what = `${resource.replaceAll(/[./]/g, '-')}-${nth}`;
      const match = { program, watch: resource };
      const from = formatDuration(time);
      const late = { during: { from, for: formatDuration(until - time) } };
      const broken = { during: { from, for: formatDuration(CUT) } };
      return [
        tryOf(rank, until, {
          name: `stale-${what}`,
          match,
          when: late,
          then: { delay: formatDuration(until) },
        }),
        tryOf(rank, CUT, {
          ...{ name: `unobserved-${what}`, match, when: broken },
          then: { disconnect: formatDuration(CUT) },
        }),
      ];
    }
    if (!isWrite(verb)) return [];
    const nth = number(program);
    const rest = { match: { program, verb: 'write' as const }, when: { after: nth - 1, times: 1 } };
    return (['after', 'before'] as const).map((kill) =>
      tryOf(nth, 0, { name: `killed-${kill}-write-${nth}`, ...rest, then: { kill } }),
    );
  });
  return made.sort((a, b) => a.rank - b.rank).map(({ rank: _, ...each }) => each);
}

const tryOf = (rank: number, lasts: number, text: FaultText): Try & { readonly rank: number } => ({
  ...{ rank, lasts, text },
  fault: faultSchema.parse(text),
});

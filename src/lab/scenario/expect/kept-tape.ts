import type { Entry } from '../../../tape/entries.js';
import type { Finding } from '../../../tape/judge/finding.js';
import { judgeTape } from '../../../tape/judge/tape-judge.js';
import type { Tape } from '../../../tape/tape.js';

export interface KeptTape {
  /** Without repeated calls that get the same reply while nothing happens. */
  readonly entries: readonly Entry[];
  /** Time of the last activity, in ns since the tape's start. */
  readonly activeAt: number;
  /** Stops collecting, because shutting the runtime down is not part of the run. */
  stop(): void;
  /** Rules that the kubelet's calls break. */
  judge(): Promise<readonly Finding[]>;
}

export function keepTape(tape: Tape): KeptTape {
  const kept: (Entry | undefined)[] = [];
  let activeAt = 0;
  const isQuiet = createQuiet(kept, (t) => {
    activeAt = t;
  });
  const stop = tape.listen({
    entry: (entry) => {
      if (!isQuiet(entry)) kept.push(entry);
    },
  });
  const entries = () => kept.filter((entry) => entry !== undefined);
  const numbered = async function* () {
    let line = 1;
    for (const entry of entries()) yield { line: ++line, entry };
  };
  return {
    get entries() {
      return entries();
    },
    get activeAt() {
      return activeAt;
    },
    stop,
    judge: async () => {
      const header = {
        t: 0,
        kind: 'header' as const,
        version: 1,
        startedAt: String(tape.startedAt),
        clock: tape.clock.kind,
        recorder: 'mockri',
        redacted: [],
      };
      return (await judgeTape({ header, entries: numbered() }, 'client')).findings;
    },
  };
}

/** Reading RPCs, which the kubelet repeats every few seconds. */
export const isReading = (method: string): boolean => /^(List|Version$|ImageFsInfo$)|Status$/.test(method);

/** Each reply of this method has a different time. */
const isTimed = (method: string): boolean => method === 'ImageFsInfo';

/** Drops calls from `kept` whose reply repeats the last one, with only such replies in between: most of a run. */
function createQuiet(
  kept: (Entry | undefined)[],
  onActivity: (t: number) => void,
): (entry: Entry) => boolean {
  const asked = new Map<number, { index: number; question: string }>();
  const answers = new Map<string, { activity: number; answer: Buffer }>();
  let activity = 0;
  const active = ({ t }: Entry) => {
    activity++;
    onActivity(t);
  };
  return (entry) => {
    // Relists happen every second, with or without changes.
    if (entry.kind === 'pleg' && entry.state === 'relist') return true;
    if (entry.kind === 'call' && isReading(entry.method)) {
      asked.set(entry.call, { index: kept.length, question: JSON.stringify(entry.message.value()) });
      return false;
    }
    const open = entry.kind === 'reply' ? asked.get(entry.call) : undefined;
    if (entry.kind !== 'reply' || open === undefined) {
      active(entry);
      return false;
    }
    asked.delete(entry.call);
    const key = `${entry.method} ${open.question}`;
    const before = answers.get(key);
    const answer = entry.code === 'OK' && entry.trailers === undefined ? entry.message?.bytes() : undefined;
    const isSame =
      answer !== undefined && before !== undefined && (isTimed(entry.method) || before.answer.equals(answer));
    if (isSame && before.activity === activity) {
      kept[open.index] = undefined;
      return true;
    }
    // A repeated reply does not affect other calls.
    if (!isSame) active(entry);
    if (answer === undefined) answers.delete(key);
    else answers.set(key, { activity, answer });
    return false;
  };
}

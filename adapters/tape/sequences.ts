import { groupBy } from '../../src/base/input/group-by.js';
import type { Exchange, History } from '../../src/tape/history/exchanges.js';
import { type Fields, fieldsOf, isSameText, sequenceOf } from '../../src/tape/history/fields.js';

export interface Match {
  readonly exchange: Exchange;
  /** Whether the call was recorded fewer times, so that the last reply is repeated. */
  readonly isRepeated: boolean;
}

/** Calls that create or start something: another call's reply can't answer an unrecorded one. */
const ONCE = [
  'RunPodSandbox',
  'RestorePod',
  'CreateContainer',
  'StartContainer',
  'CheckpointContainer',
  'CheckpointPod',
];

interface Sequence {
  readonly exchanges: Exchange[];
  next: number;
}

/** The calls of a tape in order, so that the second call gets the second reply. */
export class Sequences {
  readonly #sequences = new Map<string, Sequence>();
  readonly #byMethod: ReadonlyMap<string, readonly Exchange[]>;

  constructor({ exchanges }: History) {
    for (const exchange of exchanges) {
      const { method, request } = exchange;
      const key = sequenceOf(method, fieldsOf(method, request.value()));
      const sequence = this.#sequences.get(key) ?? { exchanges: [], next: 0 };
      sequence.exchanges.push(exchange);
      this.#sequences.set(key, sequence);
    }
    this.#byMethod = groupBy(exchanges, ({ method }) => method);
  }

  ofMethod(method: string): readonly Exchange[] {
    return this.#byMethod.get(method) ?? [];
  }

  /** The next recorded call with these fields; undefined when there is none. */
  take(method: string, fields: Fields): Match | undefined {
    const sequence = this.#sequences.get(sequenceOf(method, fields)) ?? this.#redacted(method, fields);
    const exchange = sequence?.exchanges[sequence.next];
    if (sequence !== undefined && exchange !== undefined) {
      sequence.next++;
      return { exchange, isRepeated: false };
    }
    const last = sequence?.exchanges.at(-1);
    const canRepeat = !ONCE.includes(method) || last?.outcome?.code !== 'OK';
    return last !== undefined && canRepeat ? { exchange: last, isRepeated: true } : undefined;
  }

  #redacted(method: string, fields: Fields): Sequence | undefined {
    const found = this.ofMethod(method).find(({ request }) =>
      Object.entries(fieldsOf(method, request.value())).every(([name, text]) =>
        isSameText(text, fields[name] ?? ''),
      ),
    );
    return found && this.#sequences.get(sequenceOf(method, fieldsOf(method, found.request.value())));
  }
}

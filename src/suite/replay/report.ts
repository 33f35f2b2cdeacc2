import type { Subject } from '../../tape/entries.js';
import type { Exchange } from '../../tape/history/exchanges.js';
import { subjectText } from '../../tape/pod-text.js';
import type { FieldDifference } from './normal-form.js';

/** Why a difference does not come from the runtime's behavior. */
export type Reason = 'time' | 'overlap' | 'redacted' | 'image was there' | 'version';

/** One kind of difference between the recorded runtime and the present one. */
export interface ReplayDifference extends FieldDifference {
  readonly method: string;
  /** The subject of the first such call, such as `default/web app(0)`; empty for the node. */
  readonly about: string;
  /** The line of the first such call. */
  readonly line: number;
  readonly times: number;
  /** Why it is expected; undefined for a difference that counts. */
  readonly reason?: Reason | undefined;
}

export interface Skipped {
  readonly method: string;
  readonly why: string;
  readonly line: number;
  readonly times: number;
}

export interface ReplayReport {
  readonly calls: number;
  /** Calls with equal replies. */
  readonly same: number;
  readonly differences: readonly ReplayDifference[];
  readonly skipped: readonly Skipped[];
  /** Largest delay behind the pace, in seconds. */
  readonly behind: number;
}

export class ReportBuilder {
  calls = 0;
  same = 0;
  behind = 0;
  readonly #differences = new Map<string, ReplayDifference>();
  readonly #skipped = new Map<string, Skipped>();

  /** `subject` is the subject of the call, or the object in its reply that differs. */
  differs({ method, line }: Exchange, subject: Subject, difference: FieldDifference, reason?: Reason): void {
    // Omits hashes, which are not informative.
    const { path, recorded, live } =
      reason === 'redacted' ? { ...difference, recorded: 'redacted', live: 'not compared' } : difference;
    const about = subjectText(subject);
    // Lists differences that count for each object.
    const key = JSON.stringify([method, path, recorded, live, reason ?? about]);
    const known = this.#differences.get(key);
    const first = { method, about, line, times: 0, path, recorded, live, reason };
    this.#differences.set(key, { ...(known ?? first), times: (known?.times ?? 0) + 1 });
  }

  skip({ method, line }: Exchange, why: string): void {
    const key = `${method} ${why}`;
    const known = this.#skipped.get(key) ?? { method, why, line, times: 0 };
    this.#skipped.set(key, { ...known, times: known.times + 1 });
  }

  report(): ReplayReport {
    const { calls, same, behind } = this;
    return {
      calls,
      same,
      differences: [...this.#differences.values()],
      skipped: [...this.#skipped.values()],
      behind,
    };
  }
}

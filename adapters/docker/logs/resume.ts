import type { LogMessage } from './messages.js';
import { DISORDER, type Position } from './position.js';

/**
 * Leaves out what is in the log already. What Docker keeps has one order, and the log is the beginning of it: so
 * everything after the last logged message is new, whatever its time.
 */
export class Resume {
  #last: Position | undefined;
  #seen = 0;
  #pending: LogMessage[] = [];

  constructor(last: Position | undefined) {
    this.#last = last;
  }

  /** From when on Docker has to be asked, in Unix seconds; 0 for everything. */
  static since(last: Position | undefined): string {
    if (last === undefined) return '0';
    return String(Math.max(0, Math.floor((Date.parse(last.time) - DISORDER) / 1000)));
  }

  /** Messages to write after the arrival of this message. */
  accept(message: LogMessage): readonly LogMessage[] {
    const last = this.#last;
    if (last === undefined) return [message];
    if (message.time === last.time && message.stream === last.stream) {
      this.#pending = [];
      if (++this.#seen === last.repeats) this.#last = undefined;
      return [];
    }
    this.#pending.push(message);
    return Date.parse(message.time) > Date.parse(last.time) + DISORDER ? this.end() : [];
  }

  /** Docker has no more, or the last logged message is not in what it has kept: then times must do. */
  end(): readonly LogMessage[] {
    const last = this.#last;
    if (last === undefined) return [];
    this.#last = undefined;
    return this.#pending.filter(({ time }) => time > last.time);
  }
}

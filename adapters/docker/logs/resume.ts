import type { LogMessage } from './messages.js';
import { DISORDER, type Position } from './position.js';

/** Skips messages up to the last logged one: the CRI log follows the fixed order of Docker's log. */
export class Resume {
  #last: Position | undefined;
  #seen = 0;
  #pending: LogMessage[] = [];

  constructor(last: Position | undefined) {
    this.#last = last;
  }

  /** The start of the request to Docker, in Unix seconds; 0 for everything. */
  static since(last: Position | undefined): string {
    if (last === undefined) return '0';
    return String(Math.max(0, Math.floor((Date.parse(last.time) - DISORDER) / 1000)));
  }

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

  /** Docker has no more messages. If the last logged one is missing, compares times instead. */
  end(): readonly LogMessage[] {
    const last = this.#last;
    if (last === undefined) return [];
    this.#last = undefined;
    return this.#pending.filter(({ time }) => time > last.time);
  }
}

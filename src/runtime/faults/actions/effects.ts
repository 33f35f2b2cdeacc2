import type { Clock } from '../../../base/clock/clock.js';
import type { CallTransport } from '../../../cri/service.js';
import type { CallSubject } from '../../../cri/subject.js';
import type { ConditionOverride, FaultHost } from '../host.js';
import type { Action, ActionNamed } from '../language/actions.js';
import { exitCodeOfSignal } from '../language/signals.js';
import type { Rule } from '../matching/rule.js';

const HTTP2_CODES = {
  INTERNAL_ERROR: 0x2,
  CANCEL: 0x8,
  REFUSED_STREAM: 0x7,
  ENHANCE_YOUR_CALM: 0xb,
} as const;

type ConditionType = ActionNamed<'condition'>['options']['type'];

/**
 * Changes the runtime, its containers or connections; removing the rule undoes everything except exits and restarts.
 */
export class Effects {
  readonly #host: FaultHost;
  readonly #clock: Clock;
  readonly #paused = new Set<Promise<void>>();
  /** In order of arrival; the last one of a type wins. */
  readonly #conditions = new Set<ConditionOverride & { readonly type: ConditionType }>();

  constructor(host: FaultHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  /** Resolves once nothing pauses the runtime; undefined if nothing does. */
  get pause(): Promise<unknown> | undefined {
    return this.#paused.size > 0 ? Promise.all(this.#paused) : undefined;
  }

  /** Returns false for any other action. */
  perform(action: Action, rule: Rule, subject: CallSubject, transport?: CallTransport): boolean {
    switch (action.name) {
      case 'exit': {
        const { code = 1, signal, reason } = action.options;
        this.#exit(rule, subject, { exitCode: signal ? exitCodeOfSignal(signal) : code, reason });
        return true;
      }
      case 'oom':
        this.#exit(rule, subject, { exitCode: exitCodeOfSignal('KILL'), reason: 'OOMKilled' });
        return true;
      case 'condition':
        this.#condition(rule, action.options);
        return true;
      case 'clockSkew': {
        const { by, for: duration } = action.options;
        this.#host.skewClock(by);
        this.#undoLater(rule, duration, () => this.#host.skewClock(-by));
        return true;
      }
      case 'pause':
        this.#pause(rule, action.options.for);
        return true;
      case 'restart':
        void this.#clock.run(() => this.#host.restart({ ...action.options, released: rule.released }));
        return true;
      case 'goaway':
        this.#disconnect('goaway', transport);
        return true;
      case 'reset':
        if (action.options.scope === 'connection' || transport === undefined)
          this.#disconnect('reset', transport);
        else if (!transport.reset(HTTP2_CODES[action.options.code])) return false;
        return true;
      default:
        return false;
    }
  }

  #disconnect(how: 'reset' | 'goaway', transport: CallTransport | undefined): void {
    if (transport) transport.disconnect(how);
    else this.#host.disconnectAll(how);
  }

  #exit(rule: Rule, subject: CallSubject, exit: { exitCode: number; reason: string | undefined }): void {
    if (subject.container) {
      // A container that is still being created has no id yet, and no process to end.
      if (subject.container.id !== '') this.#host.exitContainer(subject.container.id, exit);
      return;
    }
    for (const container of [...this.#host.runningContainers()]) {
      if (subject.pod && container.sandboxId !== subject.pod.id) continue;
      const pod = this.#host.pod(container.sandboxId);
      if (rule.match.subject({ container, pod })) this.#host.exitContainer(container.id, exit);
    }
  }

  #condition(rule: Rule, { for: duration, ...override }: ActionNamed<'condition'>['options']): void {
    this.#conditions.add(override);
    this.#applyCondition(override.type);
    this.#undoLater(rule, duration, () => {
      this.#conditions.delete(override);
      this.#applyCondition(override.type);
    });
  }

  #applyCondition(type: ConditionType): void {
    const last = [...this.#conditions].findLast((each) => each.type === type);
    this.#host.overrideCondition(type, last && withoutType(last));
  }

  #pause(rule: Rule, duration: number | undefined): void {
    const over = new Promise<void>((resolve) => this.#undoLater(rule, duration, resolve));
    this.#paused.add(over);
    this.#host.holdStreams(over);
    void over.then(() => this.#paused.delete(over));
  }

  /** Undoes once: when the duration ends, or when the rule is removed. */
  #undoLater(rule: Rule, duration: number | undefined, undo: () => void): void {
    if (rule.released.aborted) {
      undo();
      return;
    }
    const finish = () => {
      timer?.cancel();
      rule.released.removeEventListener('abort', finish);
      undo();
    };
    const timer = duration === undefined ? undefined : this.#clock.setTimer(duration, finish);
    rule.released.addEventListener('abort', finish, { once: true });
  }
}

const withoutType = ({ status, reason, message }: ConditionOverride): ConditionOverride => ({
  status,
  reason,
  message,
});

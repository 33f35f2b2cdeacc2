import { CriError } from '../../../cri/errors.js';
import type { BackendCondition } from '../backend.js';

export type ConditionType = BackendCondition['type'];

/** The backend's last report, unless something (a fault) overrides it. */
export interface Conditions {
  list(): readonly BackendCondition[];
  report(condition: BackendCondition): void;
  /** Undefined ends the override. */
  override(type: ConditionType, condition: BackendCondition | undefined): void;
  /** Throws `unavailable` while the condition is false (INV-51). */
  require(type: ConditionType): void;
}

const types: readonly ConditionType[] = ['RuntimeReady', 'NetworkReady'];

/** Both conditions are true until the backend reports otherwise. */
export function createConditions(): Conditions {
  const reported = new Map<ConditionType, BackendCondition>();
  const overrides = new Map<ConditionType, BackendCondition>();
  const current = (type: ConditionType): BackendCondition =>
    overrides.get(type) ?? reported.get(type) ?? { type, status: true, reason: '', message: '' };
  return {
    list: () => types.map(current),
    report: (condition) => {
      reported.set(condition.type, condition);
    },
    override: (type, condition) => {
      if (condition === undefined) overrides.delete(type);
      else overrides.set(type, condition);
    },
    require: (type) => {
      const { status, reason, message } = current(type);
      if (!status) throw new CriError('unavailable', `${type} is false: ${reason}: ${message}`);
    },
  };
}

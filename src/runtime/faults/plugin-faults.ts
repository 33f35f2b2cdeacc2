import type { Clock } from '../../base/clock/clock.js';
import { Code } from '../../cri/status-code.js';
import type { PluginFault, PluginFaults } from '../fault-decisions.js';
import type { Effects } from './actions/effects.js';
import { alterFields } from './actions/reply.js';
import { delayed, holdUp } from './actions/waiting.js';
import type { FaultListener } from './application.js';
import type { Action } from './language/actions.js';
import { NRI_PREFIX } from './language/nri.js';
import type { FaultRegistry } from './matching/registry.js';
import type { Rule } from './matching/rule.js';

export interface PluginFaultsOptions {
  readonly registry: FaultRegistry;
  readonly clock: Clock;
  readonly effects: Effects;
  readonly onFault: FaultListener;
}

export function createPluginFaults({ registry, clock, effects, onFault }: PluginFaultsOptions): PluginFaults {
  return {
    get active() {
      return registry.active;
    },
    decide: async (trigger, { plugin, method: name, request, subject }, over) => {
      const method = `${NRI_PREFIX}${name}`;
      const site = { method, plugin, connection: 0, subject: () => subject, request: () => request };
      const decision = registry.decide(trigger, site);
      if (decision === undefined) return undefined;
      for (const rule of decision.rules) onFault({ rule, trigger, method, subject });
      await delayed(clock, decision, over);
      const { action, rule } = decision;
      if (action === undefined || rule === undefined) return undefined;
      if (action.name === 'hang') await holdUp(clock, action.options.for, rule.released, over);
      if (action.name === 'restart') effects.perform(action, rule, subject);
      return faultOf(action, rule);
    },
  };
}

function faultOf(action: Action, { name }: Rule): PluginFault | undefined {
  switch (action.name) {
    case 'error': {
      const { code, message = `injected by fault rule ${name}`, effect } = action.options;
      return { kind: 'error', code: Code[code], message, isSent: effect === 'after' };
    }
    case 'close':
    case 'corrupt':
      return { kind: action.name };
    case 'duplicate':
      return { kind: 'twice' };
    case 'reply':
      return { kind: 'reply', alter: (reply) => alterFields(reply, action) };
    default:
      return undefined;
  }
}

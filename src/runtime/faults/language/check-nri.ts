import type { Say } from './check-when.js';
import { isNri, NRI_PREFIX } from './nri.js';
import type { FaultSpec } from './spec.js';
import type { Trigger } from './trigger.js';

const actions: Readonly<Record<string, readonly Trigger[]>> = {
  error: ['call', 'reply'],
  hang: ['call', 'reply'],
  reply: ['call', 'reply'],
  close: ['call', 'reply'],
  corrupt: ['call', 'reply'],
  duplicate: ['call'],
  restart: ['call', 'reply'],
};

const withoutPod = ['Configure', 'Synchronize', 'Shutdown'].map((name) => `${NRI_PREFIX}${name}`);
const isAboutContainer = (name: string) => name.includes('Container');

export function checkNri({ action, trigger, methods, match, when }: FaultSpec, say: Say): void {
  if (methods.some(({ name }) => !isNri(name)))
    say('match.method', 'a rule is either on RPCs or on requests to plugins (nri:…): write a rule for each');
  if (trigger !== 'call' && trigger !== 'reply')
    say('on', `requests to plugins have no ${trigger}; allowed: call, reply`);
  const allowed = action && actions[action.name];
  if (action && allowed === undefined)
    say('then', `${action.name} can't act on plugins; allowed: delay, ${Object.keys(actions).join(', ')}`);
  else if (allowed && !allowed.includes(trigger))
    say('on', `${action?.name} can't act on ${trigger} of plugins; allowed: ${allowed.join(', ')}`);
  if (action?.name === 'reply' && ('stale' in action.options || 'pad' in action.options))
    say('then.reply', 'of a plugin it is changed by patch, replace or empty');
  if (action?.name === 'error' && action.options.effect === 'late')
    say('then.error.effect', 'of a plugin it is before or after');
  if (match.request !== undefined)
    say('match.request', 'requests of plugins are matched by plugin, pod and container; leave it out');
  const names = methods.map(({ name }) => name);
  if (match.pod && names.every((name) => withoutPod.includes(name)))
    say('match.pod', `${names.join(', ')} is about no pod, so the rule would never match`);
  if (match.container && !names.some(isAboutContainer))
    say('match.container', `${names.join(', ')} is about no container, so the rule would never match`);
  if (when.per === 'connection') say('when.per', 'match.plugin tells plugins apart; allowed: pod, container');
}

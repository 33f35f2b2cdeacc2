import { type Referee, refereeRules } from '../judge/referee.js';
import type { Route } from './router.js';

/** `GET /v1/referee`: what clients did wrong, by rule and one by one. */
export function refereeRoute({ mode, counts, findings }: Referee): Route {
  const rules = () =>
    Object.entries(refereeRules).map(([id, rule]) => ({ id, ...rule, count: counts.get(id) ?? 0 }));
  return {
    method: 'GET',
    path: '/v1/referee',
    handle: () => ({ json: { mode, rules: rules(), findings } }),
  };
}

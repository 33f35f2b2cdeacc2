import { z } from 'zod';
import { firstFound } from '../../base/clock/first-found.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { wholeNumberSchema } from '../../base/input/schemas.js';
import { thereAre } from '../../base/input/wording.js';
import type { Held, Holds } from '../faults/holds.js';
import { type Action, actionSchemas } from '../faults/language/actions.js';
import { problemsOf } from '../faults/language/check.js';
import { specOf } from '../faults/language/spec.js';
import { Problem } from './problem.js';
import type { Route } from './router.js';
import { waitSchema } from './wait.js';

export const holdsSchema = z.strictObject({
  since: wholeNumberSchema(0).default(0).describe('only holds with a greater id'),
  wait: waitSchema,
});

const { hold: _, ...actions } = actionSchemas;

export const decisionSchema = z.strictObject({
  then: z
    .strictObject(actions)
    .partial()
    .default({})
    .describe('what happens to it, as in a rule; without it, it continues'),
});

export function holdRoutes(holds: Holds): Route[] {
  const clock = createRealClock();
  return [
    {
      method: 'GET',
      path: '/v1/holds',
      handle: async ({ query, signal }) => {
        const { since, wait } = query(holdsSchema);
        const found = await firstFound(
          holds.list(since),
          (end) => holds.onHold(() => end(holds.list(since))),
          { clock, limit: wait, signal },
        );
        return { json: { holds: found } };
      },
    },
    {
      method: 'POST',
      path: '/v1/holds/:id',
      handle: async ({ params, body }) => {
        const { then } = await body(decisionSchema);
        const held = find(holds, params.id ?? '');
        holds.decide(held.id, actionOn(held, then));
        return { json: { held } };
      },
    },
  ];
}

function find(holds: Holds, id: string): Held {
  const held = holds.find(Number(id));
  if (held !== undefined) return held;
  const ids = holds.list().map((each) => String(each.id));
  throw new Problem(404, `nothing with id ${JSON.stringify(id)} is held; ${thereAre(ids)}`);
}

/** Returns the action of a decision, checked like the action of a rule that matches the held call. */
function actionOn({ method, on }: Held, then: z.output<typeof decisionSchema>['then']): Action | undefined {
  if (Object.keys(then).length === 0) return undefined;
  const spec = specOf({ match: { method }, on, when: {}, then });
  const [problem] = problemsOf(spec);
  if (problem !== undefined) throw new Problem(400, `body: ${problem.path.join('.')}: ${problem.message}`);
  return spec.action;
}

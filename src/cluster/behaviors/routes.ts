import { memoryOf } from '../../base/input/account.js';
import { didYouMean } from '../../base/input/suggest.js';
import { thereAre } from '../../base/input/wording.js';
import type { OpenYaml } from '../../base/input/yaml.js';
import { nameInPath } from '../../runtime/control/faults.js';
import { Problem } from '../../runtime/control/problem.js';
import type { ControlRequest, Route } from '../../runtime/control/router.js';
import { behaviorRuleSchema } from './rule-schema.js';
import type { BehaviorRules, BehaviorView, WrittenBehavior } from './rules.js';

/** Rules in force at a time, and their memory in bytes. */
const MOST_RULES = 1000;
const MOST_MEMORY = 16 * 1024 * 1024;

/** `POST /v1/behaviors` adds a rule for what containers, probes, hooks and pulls do. */
export function behaviorRoutes(rules: BehaviorRules): Route[] {
  const list = () => ({ json: { behaviors: rules.list() } });
  const put = (rule: WrittenBehavior, name?: string): BehaviorView => {
    const others = rules.list().filter((other) => other.name !== name);
    if (others.length >= MOST_RULES)
      throw new Problem(409, `there are ${MOST_RULES} rules already: remove some with DELETE /v1/behaviors`);
    const memory = memoryOf(others) + memoryOf(rule.written);
    if (memory > MOST_MEMORY)
      throw new Problem(
        409,
        `all rules would take ${memory} bytes, and may take ${MOST_MEMORY}: remove some with DELETE /v1/behaviors`,
      );
    return rules.put(rule, name);
  };
  return [
    { method: 'GET', path: '/v1/behaviors', handle: list },
    {
      method: 'POST',
      path: '/v1/behaviors',
      handle: async ({ yaml }) => {
        const rule = read(await yaml());
        const { name } = rule.spec;
        if (rules.list().some((other) => other.name === name))
          throw new Problem(
            409,
            `there is a rule ${name} already: replace it with PUT /v1/behaviors/${name}`,
          );
        return { status: 201, json: put(rule) };
      },
    },
    {
      method: 'DELETE',
      path: '/v1/behaviors',
      handle: () => {
        rules.clear();
        return list();
      },
    },
    { method: 'GET', path: '/v1/behaviors/:name', handle: (request) => ({ json: find(rules, request) }) },
    {
      method: 'PUT',
      path: '/v1/behaviors/:name',
      handle: async ({ params, yaml }) => {
        const rule = read(await yaml());
        return { json: put(rule, nameInPath(params.name, rule.spec)) };
      },
    },
    {
      method: 'DELETE',
      path: '/v1/behaviors/:name',
      handle: (request) => {
        rules.remove(find(rules, request).name);
        return list();
      },
    },
  ];
}

function read(body: OpenYaml): WrittenBehavior {
  const { value: spec, written } = body.read(behaviorRuleSchema);
  return { spec, written };
}

function find(rules: BehaviorRules, { params }: ControlRequest): BehaviorView {
  const found = rules.list().find(({ name }) => name === params.name);
  if (found !== undefined) return found;
  const names = rules.list().map(({ name }) => name);
  const hint = didYouMean(params.name ?? '', names) || `; ${thereAre(names)}`;
  throw new Problem(404, `no rule is called ${JSON.stringify(params.name)}${hint}`);
}

import { z } from 'zod';
import { isObject } from '../../base/input/object.js';
import { didYouMean } from '../../base/input/suggest.js';
import { thereAre } from '../../base/input/wording.js';
import { checkInput, type OpenYaml } from '../../base/input/yaml.js';
import { shortened } from '../../cri/shortened.js';
import type { RuntimeSnapshot } from '../engine/introspection.js';
import type { Runtime } from '../engine/runtime.js';
import { describeRule } from '../faults/language/describe-rule.js';
import { readFaultFile } from '../faults/language/file.js';
import { type FaultInput, faultNameSchema } from '../faults/language/rule-schema.js';
import { faultSchema } from '../faults/language/schema.js';
import { named, parseShorthand } from '../faults/language/shorthand.js';
import { readRules, type WrittenRule } from '../faults/language/written-rule.js';
import type { FaultRules, RuleView } from '../faults/matching/registry.js';
import { compileValueTest } from '../faults/matching/request-match.js';
import { Problem } from './problem.js';
import type { ControlRequest, Route } from './router.js';

/** Characters of a rule's text: a request pattern can be as long as a body. */
const LONGEST = 1000;

/** `POST /v1/faults` takes one rule, a whole file or `{"shorthand": "…"}`; `PUT /v1/faults/:name` replaces one. */
export function faultRoutes(registry: FaultRules, runtime?: Pick<Runtime, 'snapshot'>): Route[] {
  const list = () => ({ json: { faults: registry.list().map(withText) } });
  return [
    { method: 'GET', path: '/v1/faults', handle: list },
    {
      method: 'POST',
      path: '/v1/faults',
      handle: async (request) => {
        const faults = add(registry, await request.yaml());
        const notes = runtime === undefined ? [] : unmatched(faults, runtime.snapshot());
        return { status: 201, json: { faults: faults.map(withText), ...(notes.length > 0 && { notes }) } };
      },
    },
    {
      method: 'GET',
      path: '/v1/faults/:name',
      handle: (request) => ({ json: withText(find(registry, request)) }),
    },
    {
      method: 'PUT',
      path: '/v1/faults/:name',
      handle: async (request) => {
        const rule = readOneRule(await request.yaml());
        const name = nameInPath(request.params.name, rule.spec);
        return { json: withText(registry.put(name, rule, 'control')) };
      },
    },
    {
      method: 'DELETE',
      path: '/v1/faults/:name',
      handle: (request) => {
        const { name } = find(registry, request);
        registry.remove(name);
        return list();
      },
    },
    {
      method: 'POST',
      path: '/v1/reset',
      handle: () => {
        registry.reset();
        return list();
      },
    },
  ];
}

const withText = (view: RuleView) => ({ ...view, text: shortened(describeRule(view.spec), LONGEST) });

function find(registry: FaultRules, { params }: ControlRequest): RuleView {
  const rules = registry.list();
  const found = rules.find(({ name }) => name === params.name);
  if (found) return found;
  const names = rules.map(({ name }) => name);
  const hint = didYouMean(params.name ?? '', names) || `; ${thereAre(names)}`;
  throw new Problem(404, `no rule is called ${JSON.stringify(params.name)}${hint}`);
}

function add(registry: FaultRules, body: OpenYaml): RuleView[] {
  if (has(body, 'shorthand')) return registry.add(readRules(rulesInShorthand(body), 'control'), 'control');
  if (has(body, 'faults') || has(body, 'version')) {
    const { faults, seed } = readFaultFile(body);
    return registry.add(faults, 'control', seed);
  }
  return registry.add([readRule(body)], 'control');
}

function rulesInShorthand(body: OpenYaml): readonly FaultInput[] {
  const { shorthand, name, node } = body.read(shorthandSchema).value;
  const rules = onNode(parseShorthand(shorthand), node);
  return named(rules, name);
}

export const shorthandSchema = z.strictObject({
  shorthand: z.string(),
  /** Name of the rule; several terms get numbered names. */
  name: faultNameSchema.optional(),
  node: z.string().optional().describe('with mockri node: name of a node, or a pattern; default all'),
});

const onNode = (rules: readonly FaultInput[], node: string | undefined): readonly FaultInput[] =>
  node === undefined ? rules : rules.map((rule) => ({ ...rule, match: { ...rule.match, node } }));

function readOneRule(body: OpenYaml): WrittenRule {
  if (!has(body, 'shorthand')) return readRule(body);
  const rules = rulesInShorthand(body);
  if (rules.length !== 1)
    throw new Problem(
      400,
      `the shorthand makes ${rules.length} rules, and the path names one: give one term, or use POST /v1/faults`,
    );
  const [rule] = readRules(rules, 'body');
  if (rule === undefined) throw new Error('the shorthand made no rule');
  return rule;
}

function readRule(body: OpenYaml): WrittenRule {
  const { value: spec, written } = body.read(faultSchema);
  return { written, spec };
}

const has = ({ written }: OpenYaml, key: string): boolean => isObject(written) && key in written;

/** Notes each rule that matches no existing object: it waits for later ones, or its pattern has a typing error. */
function unmatched(rules: readonly RuleView[], { sandboxes }: RuntimeSnapshot): string[] {
  return rules.flatMap(({ name, spec }) => {
    const { pod, container } = spec.match ?? {};
    if (pod === undefined && container === undefined) return [];
    const isPod = compileValueTest(pod ?? {});
    // A snapshot has no labels of containers.
    const { labels: _labels, ...facts } = container ?? {};
    const isContainer = compileValueTest(facts);
    const pods = sandboxes.filter(isPod);
    const isMet =
      container === undefined ? pods.length > 0 : pods.some((each) => each.containers.some(isContainer));
    if (isMet) return [];
    const what = container === undefined ? 'pod' : 'container';
    return [`rule ${name} matches no ${what} that exists now: ${describeRule(spec)}`];
  });
}

/** Throws Problem if the rule has another name. */
export function nameInPath(text: string | undefined, spec: { readonly name?: string | undefined }): string {
  const name = checkInput(text, faultNameSchema, 'path');
  if (spec.name !== undefined && spec.name !== name)
    throw new Problem(400, `the path names rule ${name}, the body ${spec.name}: give one name`);
  return name;
}

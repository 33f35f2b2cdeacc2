import { parseDuration } from '../../base/input/duration.js';
import type { FaultInput } from '../../runtime/faults/language/rule-schema.js';
import { parseShorthand } from '../../runtime/faults/language/shorthand.js';
import type { ClusterNode } from '../node/cluster-node.js';
import {
  happen,
  nodeRules,
  type PresetFault,
  type PresetFaultContext,
  presetFaults,
} from './preset-faults.js';

/** `fault.mockri.dev/StartContainer: 1*error(UNAVAILABLE)`, or `fault.mockri.dev/NodeDown: 5m`. */
const PREFIX = 'fault.mockri.dev/';
const SOURCE = 'annotations of the node';

type Annotations = Readonly<Record<string, string>>;

/**
 * Applies the annotations of a node's object to its rules. A preset fault happens when its annotation is added or
 * changed; invalid annotations are reported and skipped.
 */
export function createNodeAnnotations(context: PresetFaultContext): {
  seen(node: ClusterNode, annotations: Annotations): void;
} {
  const known = new Map<string, string>();
  return {
    seen: (node, annotations) => {
      const own = Object.entries(annotations)
        .filter(([key]) => key.startsWith(PREFIX))
        .map(([key, value]) => [key.slice(PREFIX.length), value] as const);
      const before = known.get(node.name);
      const text = JSON.stringify(own);
      if (text === (before ?? '[]')) return;
      known.set(node.name, text);
      const old = new Map(JSON.parse(before ?? '[]') as [string, string][]);
      const rules: FaultInput[] = [];
      for (const [name, value] of own) {
        const failed = (error: unknown) =>
          context.log(`node ${node.name}: annotation ${PREFIX}${name}: ${(error as Error).message}`);
        try {
          if (!isPresetFault(name)) rules.push(...parseShorthand(`${name.replace('.', ':')}=${value}`));
          else if (old.get(name) !== value) happen(name, node, durationOf(value), context);
        } catch (error) {
          failed(error);
        }
      }
      try {
        const names = rules.map((_, index) => `annotation-${index + 1}`);
        node.assembly.faults.registry.replaceSource(nodeRules(rules, SOURCE, names), SOURCE);
      } catch (error) {
        context.log(`node ${node.name}: ${(error as Error).message}`);
      }
    },
  };
}

const isPresetFault = (name: string): name is PresetFault =>
  (presetFaults as readonly string[]).includes(name);

/** Undefined for an empty text, which means the default. */
function durationOf(text: string): number | undefined {
  if (text === '') return undefined;
  const duration = parseDuration(text);
  if (duration === undefined || duration < 0)
    throw new Error(`expected a duration such as 5m; given "${text}"`);
  return duration;
}

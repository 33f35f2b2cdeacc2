import { InputError } from '../../base/input/yaml.js';
import { invalid } from '../../cri/errors.js';
import { type PodSandboxConfig, RunPodSandboxResponse } from '../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../cri/service.js';
import type { ObjectLookup } from '../../cri/subject.js';
import type { WrittenRule } from './language/written-rule.js';
import type { FaultRegistry } from './matching/registry.js';
import { annotationRules, FAULT_ANNOTATION } from './pod-annotations.js';

/** Maximum number of pods that are kept without a sandbox: a client may give up on a pod before it has one. */
const MOST_WITHOUT_SANDBOX = 1000;

/**
 * Adds the rules in pods' annotations: they come into force with the first RunPodSandbox of the pod, so that they also
 * act on that call, and are removed with the last of its sandboxes. `service` has the rules in front of it.
 */
export function withPodFaults(
  service: CriService,
  registry: FaultRegistry,
  directory: ObjectLookup,
): CriService {
  const pods = new Map<string, Set<string>>();

  const adopt = (config: PodSandboxConfig | undefined): string | undefined => {
    const rules = config && rulesOf(config);
    if (rules === undefined || rules.length === 0) return undefined;
    const source = sourceOf(config?.metadata ?? {});
    try {
      registry.replaceSource(rules, source);
    } catch (error) {
      throw error instanceof InputError ? invalid(error.message) : error;
    }
    if (!pods.has(source)) pods.set(source, new Set());
    if (pods.size > MOST_WITHOUT_SANDBOX) forgetWithoutSandbox();
    return source;
  };

  const forgetWithoutSandbox = () => {
    for (const [source, sandboxes] of pods) {
      if (sandboxes.size > 0) continue;
      forget(source);
      return;
    }
  };

  const forget = (source: string) => {
    pods.delete(source);
    registry.replaceSource([], source);
  };

  return {
    ...service,
    runPodSandbox: (request, call) => {
      const source = adopt(request.config);
      if (source === undefined) return service.runPodSandbox(request, call);
      return (async () => {
        const reply = await service.runPodSandbox(request, call);
        const { podSandboxId } = Buffer.isBuffer(reply) ? RunPodSandboxResponse.decode(reply) : reply;
        pods.get(source)?.add(podSandboxId);
        return reply;
      })();
    },
    removePodSandbox: (request, call) => {
      if (pods.size === 0) return service.removePodSandbox(request, call);
      const pod = directory.pod(request.podSandboxId);
      return (async () => {
        const reply = await service.removePodSandbox(request, call);
        const source = pod && sourceOf(pod);
        const sandboxes = source === undefined ? undefined : pods.get(source);
        sandboxes?.delete(pod?.id ?? '');
        if (source !== undefined && sandboxes?.size === 0) forget(source);
        return reply;
      })();
    },
  };
}

interface PodName {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

const sourceOf = ({ namespace, name, uid }: PodName): string => `pod ${namespace}/${name} ${uid}`;

/** Throws `invalid` for an annotation that isn't a rule. */
function rulesOf({ annotations, metadata }: PodSandboxConfig): WrittenRule[] {
  const rules: WrittenRule[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(FAULT_ANNOTATION)) continue;
    const { namespace = '', name = '', uid = '' } = metadata ?? {};
    const pod = { name, ...(namespace && { namespace }), ...(uid && { uid }) };
    try {
      rules.push(...annotationRules(key, value, pod));
    } catch (error) {
      if (error instanceof InputError) throw invalid(`annotation ${key}: ${error.message}`);
      throw error;
    }
  }
  return rules;
}

import { onTestFinished } from 'vitest';
import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import type { Backend } from '../../../src/runtime/engine/backend.js';
import type { EngineRules } from '../../../src/runtime/engine/rules.js';
import { createRuntime } from '../../../src/runtime/engine/runtime.js';
import { withNri } from '../../../src/runtime/nri/nri-backend.js';
import type { HostOptions } from '../../../src/runtime/nri/options.js';
import { callDirectly } from '../../property/cri.js';
import { connectPlugin, type PluginHandlers } from './plugin.js';

const image = { image: 'busybox:1' };
const sandboxConfig = { metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 } };
const silent = { info: () => {}, warn: () => {} };

/** A runtime with plugins and one pod, until the test has finished. `change` derives its backend from the test's. */
export async function createNriRig(
  options: Partial<HostOptions> = {},
  change = (backend: Backend): Backend => backend,
  rules?: EngineRules,
) {
  const clock = createRealClock();
  const { backend, host } = withNri(change(createMemoryBackend({ clock })), {
    clock,
    log: silent,
    runtime: { name: 'mockri', version: '1' },
    ...options,
  });
  const runtime = await createRuntime({ backend, clock, rules });
  onTestFinished(() => runtime.close());
  const cri = callDirectly(runtime.service);
  await cri.pullImage({ image });
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
  const create = async (name: string, config: Record<string, unknown> = {}) => {
    const { containerId } = await cri.createContainer({
      podSandboxId,
      config: { metadata: { name, attempt: 0 }, image, command: ['sleep', '1000'], ...config },
      sandboxConfig,
    });
    return containerId;
  };
  const plugin = (pluginIdx: string, pluginName: string, handlers?: PluginHandlers) =>
    connectPlugin(host, clock, { pluginIdx, pluginName }, handlers);
  return { clock, cri, podSandboxId, create, plugin, host };
}

import type { BackendCall } from '../../engine/backend/call.js';
import type { Backend, SandboxRuntime, SandboxSpec } from '../../engine/backend.js';
import { PodSandbox } from '../gen/nri/v1alpha1/api.js';
import { fromCri } from '../objects/resources.js';
import type { Relay } from './relay.js';

export class PodRelay {
  readonly #relay: Relay;

  constructor(relay: Relay) {
    this.#relay = relay;
  }

  async run(spec: SandboxSpec, call: BackendCall): Promise<SandboxRuntime> {
    const { backend, host, tracked, rules } = this.#relay;
    const runtime = await backend.runSandbox(spec, call);
    const { pid = 0 } = await backend.inspectSandbox(spec.id).catch(() => ({ pid: 0 }));
    const pod = PodSandbox.fromPartial(rules.view.pod(spec, runtime, Number(pid)));
    try {
      tracked.pods.add(spec.id, { pod, isStopped: false });
      await host.notify('runPodSandbox', { pod });
    } catch (error) {
      tracked.pods.delete(spec.id);
      for (const method of ['stopPodSandbox', 'removePodSandbox'] as const)
        await this.#relay.attempt(method, () => host.notify(method, { pod }));
      await backend.stopSandbox(spec.id, call);
      await backend.removeSandbox(spec.id, call);
      throw this.#relay.refused('runPodSandbox', spec.id, error);
    }
    return runtime;
  }

  async stop(id: string, call: BackendCall): Promise<void> {
    const { backend, host, tracked, rules } = this.#relay;
    await backend.stopSandbox(id, call);
    const known = tracked.pods.get(id);
    if (known === undefined || known.isStopped) return;
    const { view, failsStop, tellsStopOfRemoved } = rules;
    if (call.isRemoval && !tellsStopOfRemoved) return;
    const pod = view.stoppedPod(known.pod, false);
    try {
      await host.notify('stopPodSandbox', { pod });
    } catch (error) {
      if (failsStop) throw this.#relay.refused('stopPodSandbox', id, error);
      this.#relay.warn('stopPodSandbox', error);
    }
    known.isStopped = true;
    known.pod = view.stoppedPod(pod, true);
  }

  async remove(id: string, call: BackendCall): Promise<void> {
    const { backend, tracked } = this.#relay;
    await this.tell('removePodSandbox', id);
    await backend.removeSandbox(id, call);
    tracked.pods.delete(id);
  }

  async update(id: string, given: Parameters<NonNullable<Backend['updateSandboxResources']>>[1]) {
    const { host, tracked } = this.#relay;
    const known = tracked.pods.get(id);
    if (known === undefined) return;
    const overheadLinuxResources = fromCri(given.overhead);
    const linuxResources = fromCri(given.resources);
    await host
      .notify('updatePodSandbox', { pod: known.pod, overheadLinuxResources, linuxResources })
      .catch((error: unknown) => {
        throw this.#relay.refused('updatePodSandbox', id, error);
      });
    const { linux } = known.pod;
    if (linux === undefined) return;
    const podOverhead = overheadLinuxResources ?? linux.podOverhead;
    known.pod = {
      ...known.pod,
      linux: { ...linux, podOverhead, podResources: linuxResources ?? linux.podResources },
    };
  }

  /** An event of a pod; a plugin's error has no effect. */
  async tell(method: 'removePodSandbox' | 'postUpdatePodSandbox', id: string): Promise<void> {
    const { host, tracked } = this.#relay;
    const pod = tracked.pods.get(id)?.pod;
    if (pod !== undefined) await this.#relay.attempt(method, () => host.notify(method, { pod }));
  }
}

import type { CriClient } from '../../cri/client/client.js';
import type { AnyRequest } from '../../cri/subject.js';
import type { Exchange } from '../../tape/history/exchanges.js';
import { idIn } from '../../tape/history/sightings.js';
import type { LiveOutcome } from './comparison.js';
import type { Names } from './names.js';

export class Made {
  readonly #cri: CriClient;
  readonly #sandboxes = new Set<string>();

  constructor(cri: CriClient) {
    this.#cri = cri;
  }

  add(sandbox: string): void {
    this.#sandboxes.add(sandbox);
  }

  remove(sandbox: string): void {
    this.#sandboxes.delete(sandbox);
  }

  /** Stops and removes the remaining ones, with their containers. */
  async removeAll(): Promise<void> {
    const removals = [...this.#sandboxes].map(async (podSandboxId) => {
      await this.#cri.stopPodSandbox({ podSandboxId });
      await this.#cri.removePodSandbox({ podSandboxId });
    });
    await Promise.allSettled(removals);
    this.#sandboxes.clear();
  }
}

interface Learned {
  readonly names: Names;
  readonly made: Made;
  readonly pulled: Set<string>;
}

interface AnyReply {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  readonly imageRef?: string;
  readonly image?: { readonly id: string } | undefined;
}

/** Learns from an answered call which present id corresponds to which recorded one. */
export function learn(
  exchange: Exchange,
  { code, reply }: LiveOutcome,
  { names, made, pulled }: Learned,
): void {
  if (code !== 'OK') return;
  const { method, request } = exchange;
  const recorded = exchange.reply?.value<AnyReply>() ?? {};
  const live = (reply ?? {}) as AnyReply;
  names.set(recorded.podSandboxId ?? '', live.podSandboxId ?? '');
  names.set(recorded.containerId ?? '', live.containerId ?? '');
  names.set(recorded.imageRef ?? '', live.imageRef ?? '');
  names.set(recorded.image?.id ?? '', live.image?.id ?? '');
  const given = request.value<AnyRequest>();
  if (method === 'RunPodSandbox' && live.podSandboxId) made.add(live.podSandboxId);
  if (method === 'RemovePodSandbox') made.remove(names.liveOf(given.podSandboxId ?? '') ?? '');
  if (method === 'PullImage') pulled.add(idIn(given));
}

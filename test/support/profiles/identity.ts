import type { CriClient } from '../../../src/cri/client/client.js';
import { answerOf, type PodFixture } from './pod-fixture.js';

/** A runtime's identity. */
export interface Identity {
  readonly version: {
    readonly runtimeName: string;
    readonly runtimeVersion: string;
    readonly runtimeApiVersion: string;
  };
  /** Types of the conditions that Status has. */
  readonly conditions: readonly string[];
  readonly handlers: readonly string[];
  readonly features: unknown;
  /** `OK`, or the error. */
  readonly runtimeConfig: string;
  /** Keys of the verbose information, by RPC: those of the map, and of the JSON in it after a dot. */
  readonly info: Readonly<Record<string, readonly string[]>>;
}

export async function identityOf(cri: CriClient, fixture: PodFixture): Promise<Identity> {
  const { runtimeName, runtimeVersion, runtimeApiVersion } = await cri.version({});
  const { status, runtimeHandlers, features } = await cri.status({});
  const { podSandboxId, containerId } = await fixture.running();
  const verbose = true;
  return {
    version: { runtimeName, runtimeVersion, runtimeApiVersion },
    conditions: status?.conditions.map(({ type }) => type) ?? [],
    handlers: runtimeHandlers.map(({ name }) => name),
    features,
    runtimeConfig: await answerOf(cri.runtimeConfig({})),
    info: {
      Status: keysOf((await cri.status({ verbose })).info),
      PodSandboxStatus: keysOf((await cri.podSandboxStatus({ podSandboxId, verbose })).info),
      ContainerStatus: keysOf((await cri.containerStatus({ containerId, verbose })).info),
      ImageStatus: keysOf(
        (
          await cri.imageStatus({
            image: { image: 'registry.k8s.io/e2e-test-images/busybox:1.29-2' },
            verbose,
          })
        ).info,
      ),
    },
  };
}

function keysOf(info: Readonly<Record<string, string>>): string[] {
  return Object.entries(info)
    .flatMap(([key, text]) => [key, ...jsonKeys(text).map((inner) => `${key}.${inner}`)])
    .sort();
}

function jsonKeys(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

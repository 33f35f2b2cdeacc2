import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Timer } from '../../clock/clock.js';
import { loadYaml } from '../../input/yaml-document.js';
import { podRow } from '../../kubelet/status/row.js';
import type { Pod } from '../../kubelet/types.js';
import type { LoadedPod } from '../../scenario/loaded-scenario.js';
import { readPods } from '../../scenario/pods.js';
import { goneText, KUBELET_EXIT } from '../../scenario/run.js';
import type { SimulatedNode } from '../../scenario/simulated-node.js';
import type { NodeContext } from '../../scenario/simulation.js';
import { createKubeletProcess, kubeletConfig, MANIFESTS } from './kubelet-process.js';
import { podListSchema } from './pod-status.js';

/** How often the kubelet is asked for its pods, in ms. */
const LOOK = 200;
/** As the simulated node: RestartSec of kubeadm's kubelet.service, in ms. */
const RESTART_DELAY = 10_000;

/** The program of a real kubelet, and a place for its files. */
export interface RealKubelet {
  readonly program: string;
  /** Empty; belongs to this node alone. */
  readonly directory: string;
  readonly port: number;
  readonly readOnlyPort: number;
}

/** A node with a real kubelet, standalone: its pods are static ones. */
export function createRealNode(real: RealKubelet, context: NodeContext): SimulatedNode {
  const { scenario, clock, record, runtime, endpoint } = context;
  const manifests = join(real.directory, MANIFESTS);
  mkdirSync(manifests, { recursive: true });
  const pods = new Map<string, Pod>();
  const removed = new Set<string>();
  let restart: Timer | undefined;
  const options = {
    ...real,
    endpoint,
    nodeName: scenario.node,
    featureGates: scenario.kubelet.featureGates,
    config: scenario.kubelet.config,
    exited: (reason: string) => {
      record.step(`${KUBELET_EXIT}${reason}`);
      restart = clock.setTimer(RESTART_DELAY, process.start);
    },
  };
  writeFileSync(join(real.directory, 'kubelet.yaml'), kubeletConfig(options));
  const process = createKubeletProcess(options);
  const url = `http://127.0.0.1:${real.readOnlyPort}`;

  const look = async () => {
    const answer = await fetch(`${url}/pods`, { signal: AbortSignal.timeout(LOOK * 10) });
    const { items } = podListSchema.parse(await answer.json());
    for (const { metadata, status } of items) {
      const pod = pods.get(metadata.name);
      if (pod === undefined) continue;
      const { name, ready, status: text, restarts } = podRow(pod, status, clock.now());
      record.row({ pod: name, ready, status: text, restarts });
    }
    const shown = new Set(items.map(({ metadata }) => metadata.name));
    for (const name of removed) if (!shown.has(name) && !isThere(name)) gone(name);
  };
  const isThere = (pod: string) =>
    runtime
      .snapshot()
      .sandboxes.some(
        ({ name, state, containers }) =>
          name === pod && (state === 'READY' || containers.some((each) => each.state === 'RUNNING')),
      );
  const gone = (name: string) => {
    removed.delete(name);
    pods.delete(name);
    record.step(goneText(name));
  };

  let looks: Timer | undefined;
  const lookAgain = async () => {
    // A kubelet that is down, or not up yet, shows nothing.
    await look().catch(() => {});
    if (looks !== undefined) looks = clock.setTimer(LOOK, lookAgain);
  };
  looks = clock.setTimer(LOOK, lookAgain);

  return {
    pods: {
      add: (given) => {
        for (const pod of readPods(scenario, given, clock.now())) pods.set(pod.metadata.name, pod);
        for (const [index, text] of manifestsOf(given, scenario.manifests).entries())
          writeFileSync(join(manifests, `${fileNameOf(text, scenario.node, index)}.json`), text);
      },
      remove: (name) => {
        if (!pods.has(name)) return false;
        removed.add(name);
        rmSync(join(manifests, `${name}.json`), { force: true });
        return true;
      },
    },
    startKubelet: async () => {
      restart?.cancel();
      process.start();
    },
    killKubelet: () => {
      restart?.cancel();
      process.kill();
    },
    metrics: async () => {
      try {
        return await (await fetch(`${url}/metrics`)).text();
      } catch {
        return '';
      }
    },
    stop: () => {
      restart?.cancel();
      looks?.cancel();
      looks = undefined;
      process.kill();
    },
  };
}

interface Manifest {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly items?: readonly Manifest[];
}

/** The manifests of an entry of a scenario as JSON, one pod each, with the behaviors of their containers. */
function manifestsOf({ file, manifest, behaviors }: LoadedPod, texts: ReadonlyMap<string, string>): string[] {
  const documents: Manifest[] =
    file === undefined
      ? [manifest as Manifest]
      : loadYaml()
          .parseAllDocuments(texts.get(file) ?? '')
          .flatMap((document) => ('toJS' in document ? [document.toJS() as Manifest] : []));
  const added = Object.entries(behaviors).map(([name, text]) => [`behavior.mockri.dev/${name}`, text]);
  return documents
    .flatMap((document) => document.items ?? [document])
    .map(({ metadata, ...rest }) => {
      const annotations = { ...metadata?.annotations, ...Object.fromEntries(added) };
      return JSON.stringify({ ...rest, metadata: { ...metadata, annotations } });
    });
}

/** The file is called as the kubelet calls the pod, so that it is found again. */
const fileNameOf = (text: string, node: string, index: number): string => {
  const { metadata } = JSON.parse(text) as Manifest;
  return metadata?.name === undefined ? `pod-${index}` : `${metadata.name}-${node}`;
};

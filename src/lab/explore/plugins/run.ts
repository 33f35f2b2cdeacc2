import { rm } from 'node:fs/promises';
import type { Clock } from '../../../base/clock/clock.js';
import { makeTemporaryDirectory } from '../../../base/input/temporary-directory.js';
import type { Entry } from '../../../tape/entries.js';
import type { Finding } from '../../../tape/judge/finding.js';
import { type Leaves, leavesOf } from './leaves.js';
import { LifeClient, type LifePod, lifeOf, type Outcomes, outcomeOf } from './life.js';
import type { PluginPerturbation } from './perturbation.js';
import { pluginProgram } from './program.js';
import { type PluginRuntime, startPluginRuntime } from './runtime.js';
import { Trouble } from './trouble.js';

interface Seen {
  readonly created: ReadonlySet<string>;
  /** How many of the open connections have shown each container to the plugin, by name. */
  readonly seen: ReadonlyMap<string, number>;
}

export interface PluginSubject {
  readonly pods: readonly LifePod[];
  /** Shell command line; undefined for a run without a plugin. */
  readonly command: string | undefined;
  readonly clock: Clock;
  /** Maximum time until the plugin connects, in ms. */
  readonly patience: number;
  readonly signal?: AbortSignal | undefined;
}

export interface PluginRun extends Seen {
  readonly outcomes: Outcomes;
  /** OCI specs of the containers that exist at the end, by name. */
  readonly specs: ReadonlyMap<string, Leaves>;
  readonly missing: string | undefined;
  readonly crashes: readonly string[];
  readonly findings: readonly Finding[];
  readonly output: string;
}

/** Reads a tape; `containers` are ids by name. */
function seenIn(entries: readonly Entry[], containers: ReadonlyMap<string, string>): Seen {
  const created = new Set<string>();
  const shown = new Map<number, Set<string>>();
  const open = new Set<number>();
  for (const entry of entries) {
    if (entry.kind === 'plugin') {
      if (entry.what === 'synchronized') open.add(entry.connection);
      else open.delete(entry.connection);
    }
    if (entry.kind !== 'nri') continue;
    const ids = shown.get(entry.connection) ?? new Set();
    shown.set(entry.connection, ids);
    for (const id of entry.shows ?? []) ids.add(id);
    if (entry.method !== 'CreateContainer' || entry.container?.id === undefined) continue;
    ids.add(entry.container.id);
    if (entry.details === undefined) created.add(entry.container.id);
  }
  const views = [...open].map((connection) => shown.get(connection));
  return {
    created: new Set([...containers].flatMap(([name, id]) => (created.has(id) ? [name] : []))),
    seen: new Map([...containers].map(([name, id]) => [name, views.filter((ids) => ids?.has(id)).length])),
  };
}

export async function runPlugin(
  subject: PluginSubject,
  schedule: readonly PluginPerturbation[],
  record?: string,
): Promise<PluginRun> {
  const { pods, command, clock, patience, signal } = subject;
  const directory = makeTemporaryDirectory('mockri-plugin-');
  const runtime = await startPluginRuntime({ directory, images: imagesOf(pods), clock, record });
  const crashes: string[] = [];
  const ended = (how: string) => {
    if (trouble?.isQuiet) crashes.push(how);
  };
  const program = command === undefined ? undefined : pluginProgram(command, runtime.socket, clock, ended);
  const trouble = program && new Trouble(program, runtime, schedule, { clock, limit: patience, signal });
  try {
    const client = new LifeClient(runtime.cri);
    const outcomes = await live(pods, client, trouble);
    return {
      outcomes,
      missing: trouble?.missing,
      ...(await atTheEnd(runtime, client)),
      crashes,
      output: program?.output ?? '',
    };
  } finally {
    await program?.kill();
    await runtime.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function live(
  pods: readonly LifePod[],
  client: LifeClient,
  trouble: Trouble | undefined,
): Promise<Outcomes> {
  const outcomes = new Map<string, string | undefined>();
  await trouble?.begin();
  for (const [index, operation] of lifeOf(pods).entries()) {
    await trouble?.before(index, operation);
    outcomes.set(operation.name, await outcomeOf(operation, client));
    await trouble?.after(operation);
  }
  await trouble?.end();
  return outcomes;
}

async function atTheEnd(runtime: PluginRuntime, client: LifeClient) {
  const specs = await client.specs();
  return {
    specs: new Map([...specs].map(([key, spec]) => [key, leavesOf(spec)])),
    ...seenIn(runtime.entries, client.containers),
    findings: await runtime.judge(),
  };
}

const imagesOf = (pods: readonly LifePod[]): string[] => [
  ...new Set(pods.flatMap(({ containers }) => containers.map(({ config }) => config.image?.image ?? ''))),
];

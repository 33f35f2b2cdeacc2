import { rm } from 'node:fs/promises';
import type { Clock } from '../../../base/clock/clock.js';
import { makeTemporaryDirectory } from '../../../base/input/temporary-directory.js';
import type { Finding } from '../../../tape/judge/finding.js';
import { type Leaves, leavesOf } from './leaves.js';
import { LifeClient, type LifePod, lifeOf, type Outcomes, outcomeOf } from './life.js';
import type { PluginPerturbation } from './perturbation.js';
import { pluginProgram } from './program.js';
import { type PluginRuntime, startPluginRuntime } from './runtime.js';
import { type Seen, seenIn } from './seen.js';
import { Trouble } from './trouble.js';

/** A plugin, and the pods that it is tried with. */
export interface PluginSubject {
  readonly pods: readonly LifePod[];
  /** Command line for the shell; undefined for a run without a plugin. */
  readonly command: string | undefined;
  readonly clock: Clock;
  /** How long the plugin may take until it is connected, in ms. */
  readonly patience: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a run of a plugin has come to. */
export interface PluginRun extends Seen {
  readonly outcomes: Outcomes;
  /** The OCI specs of the containers that are there at the end, by name. */
  readonly specs: ReadonlyMap<string, Leaves>;
  /** Where the plugin was not connected although it should have been. */
  readonly missing: string | undefined;
  /** How it ended while nothing happened to it. */
  readonly crashes: readonly string[];
  /** What the judge of tapes says. */
  readonly findings: readonly Finding[];
  /** The end of what it has printed. */
  readonly output: string;
}

/** Lives the life of the pods with the plugin, in real time, and does to the plugin what the schedule says. */
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

/** Does all operations, with what happens to the plugin in between. */
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

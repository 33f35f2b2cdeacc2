import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { Context, Crowd, Section } from './context.js';
import { list, memory, status } from './sections/crowd.js';
import { events } from './sections/events.js';
import { explore } from './sections/explore.js';
import { faults } from './sections/faults.js';
import { growth } from './sections/growth.js';
import { life } from './sections/life.js';
import { nodes } from './sections/nodes.js';
import { plugins } from './sections/plugins.js';
import { reproduce } from './sections/reproduce.js';
import { month, simulation } from './sections/simulation.js';
import { start } from './sections/start.js';
import { tape } from './sections/tape.js';
import { version } from './sections/version.js';
import { viewer } from './sections/viewer.js';
import { virtual } from './sections/virtual.js';
import { chooseDriver } from './support/drive.js';
import { IMAGE, inParallel, startPod } from './support/pods.js';
import { type Figure, formatFigure } from './support/result.js';
import { createServers, type ServerFactory } from './support/servers.js';

const PODS = 10_000;

/** In this order: sections that stop all servers come before those that share the crowded server. */
const sections: readonly Section[] = [
  start,
  version,
  faults,
  life,
  tape,
  events,
  memory,
  list,
  status,
  simulation,
  month,
  growth,
  explore,
  reproduce,
  nodes,
  virtual,
  plugins,
  viewer,
];
const names = sections.map((section) => section.name);

interface Options {
  readonly only?: readonly string[];
  readonly json?: true;
  readonly server: string;
}

new Command('bench')
  .description(
    'Compares a server with a minimal grpc-js server. Ratios are valid on any machine, absolute figures are not.',
  )
  .addOption(new Option('--only <sections...>', 'sections to measure; default: all').choices(names))
  .option('--json', 'print one JSON object')
  .option(
    '--server <program>',
    'server program for Node, with its arguments',
    'dist/src/cli/main.js serve --control 127.0.0.1:0',
  )
  .action(main)
  .parse();

async function main({ only = names, json, server }: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'mockri-bench-'));
  const servers = createServers(server.split(' '), directory);
  const driver = chooseDriver();
  const context: Context = { servers, drive: driver.drive, crowded: once(() => crowd(servers)) };
  const print = (text: string) => json || console.log(text);
  const all: Record<string, readonly Figure[]> = {};
  print(`Node ${process.version}, driven by ${driver.name}`);
  try {
    for (const section of sections.filter(({ name }) => only.includes(name))) {
      print(`\n${section.title}`);
      const figures = await section.run(context);
      for (const figure of figures) print(`  ${formatFigure(figure)}`);
      all[section.name] = figures;
    }
  } finally {
    await servers.stopAll();
    await rm(directory, { recursive: true, force: true });
  }
  if (json)
    console.log(JSON.stringify({ node: process.version, driver: driver.name, sections: all }, null, 2));
}

/** Starts pods with one running container each. The first thousand warm up the server and do not count. */
async function crowd(servers: ServerFactory): Promise<Crowd> {
  const server = await servers.real();
  await server.cri.pullImage({ image: { image: IMAGE } });
  const warm = PODS / 10;
  await inParallel(warm, 16, (index) => startPod(server.cri, `crowd-${index}`));
  const before = await server.memory();
  await inParallel(PODS - warm, 16, (index) => startPod(server.cri, `crowd-${warm + index}`));
  const after = await server.memory();
  const { containerId } = await startPod(server.cri, 'crowd-last');
  return { server, pods: PODS, bytesPerPod: (after - before) / (PODS - warm), containerId };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

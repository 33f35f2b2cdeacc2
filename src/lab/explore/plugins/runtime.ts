import { join } from 'node:path';
import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import type { Clock } from '../../../base/clock/clock.js';
import { type CriConnection, connectCri } from '../../../cri/client/connect.js';
import { assemble } from '../../../runtime/assembly/assembly.js';
import { openRuntime } from '../../../runtime/assembly/origin.js';
import type { RuntimePlugins } from '../../../runtime/assembly/plugins.js';
import { createTapeRecorder } from '../../../runtime/assembly/tape-recorder.js';
import type { FaultInput } from '../../../runtime/faults/language/rule-schema.js';
import { readRules } from '../../../runtime/faults/language/written-rule.js';
import { runtimeProfiles } from '../../../runtime/profiles/index.js';
import type { Entry } from '../../../tape/entries.js';
import { headerAt } from '../../../tape/header.js';
import type { Finding } from '../../../tape/judge/finding.js';
import { judgeTape } from '../../../tape/judge/tape-judge.js';
import { createTape } from '../../../tape/tape.js';

export interface PluginRuntime {
  readonly socket: string;
  readonly cri: CriConnection;
  readonly plugins: RuntimePlugins;
  readonly entries: readonly Entry[];
  addFault(rule: FaultInput): void;
  /** Resolves when an entry matches, or after `limit` ms. */
  next(passes: (entry: Entry) => boolean, limit: number): Promise<void>;
  judge(): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

export interface PluginRuntimeOptions {
  readonly directory: string;
  readonly images: readonly string[];
  readonly clock: Clock;
  readonly record?: string | undefined;
}

const silent = () => {};

export async function startPluginRuntime(options: PluginRuntimeOptions): Promise<PluginRuntime> {
  const { directory, images, clock, record } = options;
  const socket = join(directory, 'nri.sock');
  const backend = createMemoryBackend({ clock, place: directory, presentImages: images });
  const origin = await openRuntime({
    backend,
    clock,
    warn: silent,
    profile: runtimeProfiles['containerd-2.4'],
    plugins: { socket, log: { info: silent, warn: silent } },
  });
  const tape = createTape(clock);
  const assembly = assemble(origin, { clock, warn: silent, tape });
  const recorder = createTapeRecorder({ tape, runtimes: [{ tape, origin }], about: {}, onFailure: silent });
  const entries: Entry[] = [];
  recorder.listen((entry) => entries.push(entry));
  if (record !== undefined) await recorder.start(record);
  const server = await assembly.serve({ listen: `unix://${join(directory, 'cri.sock')}` });
  const cri = connectCri(server.endpoint, { clock });
  return {
    socket,
    cri,
    plugins: origin.plugins as RuntimePlugins,
    entries,
    addFault: (rule) => assembly.faults.registry.add(readRules([rule], 'schedule'), 'schedule'),
    next: async (passes, limit) => {
      const there = new AbortController();
      const stop = recorder.listen((entry) => {
        if (passes(entry)) there.abort();
      });
      await clock.sleep(limit, there.signal).catch(() => {});
      stop();
    },
    judge: async () => {
      const header = headerAt(tape, 0, {}, new Set());
      return (await judgeTape({ header, entries: numbered(entries) })).findings;
    },
    close: async () => {
      cri.close();
      await recorder.stop();
      await assembly.close(0);
    },
  };
}

async function* numbered(entries: readonly Entry[]) {
  // The header is line 1.
  for (const [index, entry] of entries.entries()) yield { line: index + 2, entry };
}

import type { Clock } from '../../base/clock/clock.js';
import { UserError } from '../../base/input/user-error.js';
import { VersionResponse } from '../../cri/gen/runtime/v1/api.js';
import { ownCall } from '../../cri/own-call.js';
import { decoded } from '../../cri/reply.js';
import type { CriService } from '../../cri/service.js';
import type { Happening } from '../../tape/entries.js';
import { type Recording, type RecordingOptions, recordToFile } from '../../tape/file.js';
import type { About } from '../../tape/header.js';
import type { ReadableTape, Tape, TapeListener } from '../../tape/tape.js';
import type { LifecycleStep } from '../engine/events/lifecycle.js';
import type { ContainerRecord, SandboxRecord } from '../engine/state/records.js';
import { exitData } from '../engine/state/status.js';
import type { Origin } from './origin.js';

export interface RecordedRuntime {
  /** Name of its node; undefined for a single runtime. */
  readonly node?: string;
  readonly tape: Tape;
  readonly origin: Pick<Origin, 'service' | 'runtime'>;
}

/** A tape and the runtimes that it records. The header has the version of the first one. */
export interface Recorded {
  readonly tape: ReadableTape;
  readonly runtimes: readonly RecordedRuntime[];
}

export interface TapeRecorderOptions extends Recorded {
  readonly about: About;
  /** Called when a recording ends before it is stopped, for example on a full disk. */
  readonly onFailure: (message: string) => void;
}

export interface StartOptions extends Pick<RecordingOptions, 'keep' | 'followsLinks' | 'held'> {
  /** Default: everything. */
  readonly part?: Recorded | undefined;
}

export interface TapeRecorder {
  readonly tape: ReadableTape;
  /** Everything that can be recorded: the default of `part`. */
  readonly all: Recorded;
  /** Returns the header's facts, with the runtime's version if the runtime replies in time. */
  about(part?: Recorded): Promise<About>;
  /** Calls back for each entry from now on, including container lifecycles. Returns a function that unsubscribes. */
  listen(entry: TapeListener['entry'], part?: Recorded): () => void;
  readonly current: Recording | undefined;
  /** Records into a file. Throws UserError when a recording is running already or the file can't be created. */
  start(file: string, how?: StartOptions): Promise<Recording>;
  /** Stops the recording, and resolves with it when the file is complete; also when it is already being stopped. */
  stop(): Promise<Recording | undefined>;
}

/** Time in ms to wait for the runtime's version; after it, a recording starts without the version. */
const PATIENCE = 2000;

export function createTapeRecorder(options: TapeRecorderOptions): TapeRecorder {
  const { tape, about, onFailure } = options;
  let current: Recording | undefined;
  let starting = false;
  let leaveLife: (() => void) | undefined;
  const lifecycles = new Map(
    options.runtimes.map((each) => [each.tape, createSharedLife(each.origin, each.tape)]),
  );
  const joinLifecycles = ({ runtimes }: Recorded): (() => void) => {
    const leaves = runtimes.map((each) => lifecycles.get(each.tape)?.join());
    return () => {
      for (const leave of leaves) leave?.();
    };
  };
  const aboutNow = async ({ runtimes }: Recorded = options): Promise<About> => {
    const [first] = runtimes;
    const runtime = first && (await versionOf(first.origin.service, tape.clock));
    return { ...about, ...(runtime && { runtime }) };
  };
  let closing: Promise<void> | undefined;
  const stop = async () => {
    const ending = current;
    current = undefined;
    leaveLife?.();
    if (ending !== undefined) closing = ending.close();
    await closing;
    return ending;
  };
  return {
    tape,
    all: options,
    about: aboutNow,
    listen: (entry, part = options) => {
      const stopListening = part.tape.listen({ entry });
      const leave = joinLifecycles(part);
      return () => {
        stopListening();
        leave();
      };
    },
    get current() {
      return current;
    },
    start: async (file, { part = options, ...how } = {}) => {
      if (current !== undefined || starting)
        throw new UserError(
          `a recording is in progress${current ? ` into ${current.file}` : ''}; stop it first`,
        );
      starting = true;
      try {
        const from = await aboutNow(part);
        let recording: Recording | undefined;
        const failed = (message: string) => {
          // The next one may have begun while it was being stopped.
          if (current === recording) {
            current = undefined;
            leaveLife?.();
          }
          onFailure(message);
        };
        recording = await recordToFile({ ...how, tape: part.tape, file, about: from, onFailure: failed });
        current = recording;
        leaveLife = joinLifecycles(part);
        return recording;
      } finally {
        starting = false;
      }
    },
    stop,
  };
}

async function versionOf(service: CriService, clock: Clock): Promise<About['runtime']> {
  const enough = new AbortController();
  const call = { ...ownCall(), signal: enough.signal };
  const late = clock.setTimer(PATIENCE, () => enough.abort());
  try {
    const reply = await service.version({ version: 'v1' }, call);
    const { runtimeName: name, runtimeVersion: version, runtimeApiVersion } = decoded(reply, VersionResponse);
    return { name, version, apiVersion: runtimeApiVersion };
  } catch {
    // The runtime isn't running yet, so it has no version.
    return undefined;
  } finally {
    late.cancel();
  }
}

/** Writes container lifecycles to the tape once, for any number of readers. */
function createSharedLife(origin: RecordedRuntime['origin'], tape: Tape): { join(): () => void } {
  let readers = 0;
  let leaveLife: (() => void) | undefined;
  return {
    join: () => {
      // Watches lifecycles instead of subscribing to events: those would be encoded, and a runtime may send each event
      // to one subscriber only.
      if (readers++ === 0)
        leaveLife = origin.runtime?.watchLifecycle((step) => {
          const happening = happeningOf(step);
          if (happening !== undefined) tape.write(happening);
        });
      let isIn = true;
      return () => {
        if (isIn && --readers === 0) leaveLife?.();
        isIn = false;
      };
    },
  };
}

const CONTAINER_STEPS = {
  CREATED: 'created',
  STARTED: 'started',
  STOPPED: 'ended',
  DELETED: 'removed',
} as const;

/** A sandbox is ready from its creation. */
const SANDBOX_STEPS = {
  CREATED: undefined,
  STARTED: 'ready',
  STOPPED: 'stopped',
  DELETED: 'removed',
} as const;

function happeningOf({ event, record }: LifecycleStep): Happening | undefined {
  if ('sandbox' in record) return containerStep(CONTAINER_STEPS[event], record);
  const what = SANDBOX_STEPS[event];
  return what && { kind: 'sandbox', pod: podOf(record), what };
}

function containerStep(
  what: (typeof CONTAINER_STEPS)[LifecycleStep['event']],
  { id, name, attempt, sandbox, phase }: ContainerRecord,
): Happening {
  const { exitCode = 0, reason = '' } = exitData(phase) ?? {};
  return {
    kind: 'container',
    pod: podOf(sandbox),
    container: { id, name, attempt },
    what,
    ...(what === 'ended' && { exitCode, reason }),
  };
}

function podOf({ id, metadata: { name, namespace, uid, attempt } }: SandboxRecord) {
  return { id, name, namespace, ...(uid && { uid }), attempt };
}

import type { Clock } from '../../base/clock/clock.js';
import { UserError } from '../../base/input/user-error.js';
import { ContainerEventResponse, VersionResponse } from '../../cri/gen/runtime/v1/api.js';
import { ownCall } from '../../cri/own-call.js';
import { decoded } from '../../cri/reply.js';
import type { CriService } from '../../cri/service.js';
import { type Recording, type RecordingOptions, recordToFile } from '../../tape/file.js';
import type { About } from '../../tape/header.js';
import { createLifecycleReader } from '../../tape/lifecycle.js';
import type { ReadableTape, Tape, TapeListener } from '../../tape/tape.js';
import type { Origin } from './origin.js';

/** A runtime, and where it is recorded. */
export interface RecordedRuntime {
  /** Name of its node, where there are several. */
  readonly node?: string;
  readonly tape: Tape;
  readonly origin: Pick<Origin, 'service' | 'runtime'>;
}

/** A tape, and the runtimes that are on it. The version of the first is the one of the header. */
export interface Recorded {
  readonly tape: ReadableTape;
  readonly runtimes: readonly RecordedRuntime[];
}

/** What is recorded, and what the header of each recording says. */
export interface TapeRecorderOptions extends Recorded {
  readonly about: About;
  /** Called when a recording ends before it is stopped, as on a full disk. */
  readonly onFailure: (message: string) => void;
}

/** How a recording is made. */
export interface StartOptions extends Pick<RecordingOptions, 'keep' | 'followsLinks' | 'held'> {
  /** What is recorded; everything by default. */
  readonly part?: Recorded | undefined;
}

/** Starts and stops recordings; one at a time. */
export interface TapeRecorder {
  readonly tape: ReadableTape;
  /** All that can be recorded; what takes a part of it takes this by default. */
  readonly all: Recorded;
  /** What a header says, with the runtime's version if the runtime states it soon. */
  about(part?: Recorded): Promise<About>;
  /** Calls back for each entry from now on, with what happens to containers; returns how to stop that. */
  listen(entry: TapeListener['entry'], part?: Recorded): () => void;
  /** The recording under way. */
  readonly current: Recording | undefined;
  /** Records from now on into a file. Throws UserError when a recording is under way, or the file can't be made. */
  start(file: string, how?: StartOptions): Promise<Recording>;
  /** Ends the recording under way and resolves with it, when the file is whole; also when it is being ended already. */
  stop(): Promise<Recording | undefined>;
}

/** How long the runtime may take to say its version before a recording starts without it, in ms. */
const PATIENCE = 2000;

/** Makes a recorder of a runtime; `start` begins a recording. */
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
          `a recording is under way${current ? ` into ${current.file}` : ''}; stop it first`,
        );
      starting = true;
      try {
        const from = await aboutNow(part);
        const failed = (message: string) => {
          current = undefined;
          leaveLife?.();
          onFailure(message);
        };
        current = await recordToFile({ ...how, tape: part.tape, file, about: from, onFailure: failed });
        leaveLife = joinLifecycles(part);
        return current;
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
    // A runtime that isn't there yet has no version.
    return undefined;
  } finally {
    late.cancel();
  }
}

/** What happens to containers, on the tape once however many read it. */
function createSharedLife(origin: RecordedRuntime['origin'], tape: Tape): { join(): () => void } {
  let readers = 0;
  let follow: AbortController | undefined;
  return {
    join: () => {
      // Another runtime may send each event to one subscriber only, so that it must not be asked.
      if (readers++ === 0 && origin.runtime !== undefined) {
        follow = new AbortController();
        void followLife(origin.service, tape, follow.signal);
      }
      let isIn = true;
      return () => {
        if (isIn && --readers === 0) follow?.abort();
        isIn = false;
      };
    },
  };
}

async function followLife(service: CriService, tape: Tape, signal: AbortSignal): Promise<void> {
  const happeningOf = createLifecycleReader();
  try {
    for await (const reply of service.getContainerEvents({}, { signal, deadline: undefined })) {
      const happening = happeningOf(decoded(reply, ContainerEventResponse));
      if (happening !== undefined) tape.write(happening);
    }
  } catch {
    // The runtime is closed, or the recording is over.
  }
}

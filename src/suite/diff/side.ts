import type { Clock } from '../../base/clock/clock.js';
import type { CriClient } from '../../cri/client/client.js';
import { EventBook } from './events.js';

export interface Runtime {
  /** The runtime's name in reports. */
  readonly name: string;
  readonly cri: CriClient;
}

export interface Side extends Runtime {
  readonly clock: Clock;
  readonly events: EventBook;
  readonly run: string;
  readonly image: string;
  readonly imageId: string;
  /** A directory on the host of the runtime, for log files. */
  readonly directory: string;
  /** Limit of one call in ms. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

export async function openSide(
  runtime: Runtime,
  options: Pick<Side, 'clock' | 'run' | 'image' | 'directory' | 'timeout' | 'signal'>,
): Promise<Side> {
  const { timeout, signal, image } = options;
  const status = await runtime.cri.imageStatus({ image: { image } }, { timeout, signal });
  const events = new EventBook(runtime.cri, options.clock);
  return { ...runtime, ...options, events, imageId: status.image?.id ?? '' };
}

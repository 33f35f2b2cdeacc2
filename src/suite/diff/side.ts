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
  /** An image with a shell that both runtimes have. */
  readonly image: string;
  readonly imageId: string;
  /** An existing directory for log files, on the host of both runtimes. */
  readonly directory: string;
  /** Limit of one call in ms. */
  readonly timeout: number;
  /** Ends the run early; the report has the differences so far. */
  readonly signal: AbortSignal;
}

export type SideOptions = Omit<Side, keyof Runtime | 'events' | 'imageId'>;

export async function openSide(runtime: Runtime, options: SideOptions): Promise<Side> {
  const { timeout, signal, image } = options;
  const status = await runtime.cri.imageStatus({ image: { image } }, { timeout, signal });
  const events = new EventBook(runtime.cri, options.clock);
  return { ...runtime, ...options, events, imageId: status.image?.id ?? '' };
}

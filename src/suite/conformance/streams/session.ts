import { Violation } from '../violation.js';

/** The channels of an exec, attach or port-forward that a client opened. */
export interface StreamChannel {
  /** Everything received so far. */
  received(): Buffer;
  /** Whether the other side has closed its half. */
  readonly hasEnded: boolean;
  send(data: Buffer): Promise<void>;
  /** Closes this half; false if the protocol cannot. */
  end(): boolean;
  /** Breaks the channel off. */
  reset(): void;
}

/**
 * The address of a streaming server as clients read it: http where no scheme is given, as cri-dockerd does (apimachinery
 * proxy/upgradeaware.go normalizeLocation).
 */
export const addressOf = (url: string): string => (url.startsWith('//') ? `http:${url}` : url);

/** How an exec or attach is opened. */
export interface SessionRequest {
  readonly url: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

/** An open exec or attach. */
export interface Session {
  readonly stdin: StreamChannel | undefined;
  readonly stdout: StreamChannel;
  readonly stderr: StreamChannel | undefined;
  readonly resize: StreamChannel | undefined;
  /** The status of the end, as JSON. */
  readonly error: StreamChannel;
  close(): void;
}

/** A way to open streams. */
export interface StreamProtocol {
  readonly name: 'SPDY' | 'WebSocket';
  open(request: SessionRequest): Promise<Session>;
}

/** What is sent did not go out: the runtime has ended the connection. */
export const notTaken = (error: Error): Violation =>
  new Violation('an open stream that takes what a client sends', error.message);

/** The answer to a request for streams that is no upgrade. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

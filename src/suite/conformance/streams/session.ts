import { Violation } from '../violation.js';

export interface StreamChannel {
  received(): Buffer;
  readonly hasEnded: boolean;
  send(data: Buffer): Promise<void>;
  /** Closes this half; false if the protocol cannot. */
  end(): boolean;
  reset(): void;
}

/** Adds http to a URL without a scheme (upgradeaware.go normalizeLocation). Throws Refused for an invalid URL. */
export function addressOf(url: string): string {
  const address = url.startsWith('//') ? `http:${url}` : url;
  if (!URL.canParse(address)) throw new Refused(`"${url}" is not a URL`);
  return address;
}

export interface SessionRequest {
  readonly url: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

export interface Session {
  readonly stdin: StreamChannel | undefined;
  readonly stdout: StreamChannel;
  readonly stderr: StreamChannel | undefined;
  readonly resize: StreamChannel | undefined;
  /** The final status, as JSON. */
  readonly error: StreamChannel;
  close(): void;
}

export interface StreamProtocol {
  readonly name: 'SPDY' | 'WebSocket';
  open(request: SessionRequest): Promise<Session>;
}

/** The data could not be sent: the runtime has ended the connection. */
export const notTaken = (error: Error): Violation =>
  new Violation('an open stream that accepts the input of a client', error.message);

/** A streaming server that can't be reached, or that does not upgrade a request for streams. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

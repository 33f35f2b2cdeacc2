import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Dockerode from 'dockerode';
import type { Clock } from '../../../src/base/clock/clock.js';
import { CriError, invalid } from '../../../src/cri/errors.js';
import { messageOf } from '../errors.js';
import { connectionHint } from './connection-hint.js';
import { createAgent } from './lost-replies.js';

export interface DockerAddress {
  /** `unix:///path`, `tcp://host:port` or `https://host:port`. */
  readonly host: string;
  /** Directory with ca.pem, cert.pem and key.pem, like DOCKER_CERT_PATH; its presence enables TLS. */
  readonly certificates?: string | undefined;
}

export interface DockerConnection {
  readonly docker: Dockerode;
  /** Version of Docker Engine, such as 20.10.24. */
  readonly version: string;
  readonly local: boolean;
}

/** The oldest API version that has everything used here (Docker 20.10), and the newest that was tested. */
const OLDEST = 41;
const NEWEST = 47;

/** Time in ms for the first reply: packets to a wrong address may go unanswered for minutes. */
const FIRST_ANSWER = 10_000;

/** Negotiates the API version. Throws `unavailable` or `invalid` with a message that says what to do. */
export async function connect(address: DockerAddress, clock: Clock): Promise<DockerConnection> {
  const options = optionsFor(address);
  const version = await firstAnswer<Dockerode.DockerVersion>(address, clock, (asked) =>
    new Dockerode(options).version(asked),
  );
  if (typeof version?.Version !== 'string' || typeof version.ApiVersion !== 'string')
    throw unavailable(address, 'it reports no version of Docker; is it Docker?');
  const minor = minorOf(version.ApiVersion);
  const least = minorOf((version as { MinAPIVersion?: string }).MinAPIVersion);
  if (minor < OLDEST)
    throw invalid(
      `Docker ${version.Version} at ${address.host} speaks API 1.${minor}; 1.${OLDEST} (Docker 20.10) or newer is needed`,
    );
  if (least > NEWEST)
    throw invalid(
      `Docker ${version.Version} at ${address.host} needs API 1.${least} or newer; this program speaks up to 1.${NEWEST}`,
    );
  const docker = new Dockerode({ ...options, version: `v1.${Math.min(minor, NEWEST)}` });
  return { docker, version: version.Version, local: address.host.startsWith('unix:') };
}

/** Without `host: undefined`, docker-modem would use DOCKER_HOST. */
function optionsFor({ host, certificates }: DockerAddress): Dockerode.DockerOptions {
  const usage = `docker host "${host}" is not unix:///path, tcp://host:port or https://host:port`;
  if (host.startsWith('unix://')) {
    const socketPath = host.slice('unix://'.length);
    if (!socketPath.startsWith('/')) throw invalid(usage);
    return { socketPath, host: undefined, agent: createAgent(false) } as Dockerode.DockerOptions;
  }
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url === undefined || !['tcp:', 'http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw invalid(usage);
  const secure = url.protocol === 'https:' || certificates !== undefined;
  const port = url.port || (secure ? '2376' : '2375');
  const keys = certificates === undefined ? {} : readKeys(certificates);
  return {
    host: url.hostname,
    port,
    protocol: secure ? 'https' : 'http',
    agent: createAgent(secure),
    ...keys,
  } as Dockerode.DockerOptions;
}

function readKeys(directory: string): { ca: Buffer; cert: Buffer; key: Buffer } {
  const read = (name: string) => {
    try {
      return readFileSync(join(directory, name));
    } catch (error) {
      throw invalid(
        `Docker's certificates: ${join(directory, name)} can't be read (${messageOf(error)}); the directory needs ca.pem, cert.pem and key.pem`,
      );
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}

/** Resolves with the reply to a first request. Throws `unavailable` after an error or FIRST_ANSWER ms. */
export async function firstAnswer<T>(
  address: DockerAddress,
  clock: Clock,
  ask: (options: never) => unknown,
): Promise<T> {
  const giveUp = new AbortController();
  const timer = clock.setTimer(FIRST_ANSWER, () => giveUp.abort());
  try {
    return await clock.idle(ask({ abortSignal: giveUp.signal } as never) as Promise<T>);
  } catch (error) {
    const reason = giveUp.signal.aborted
      ? `nothing came for ${FIRST_ANSWER / 1000} s`
      : connectionHint(error);
    throw unavailable(address, reason, error);
  } finally {
    timer.cancel();
  }
}

export const unavailable = ({ host }: DockerAddress, reason: string, cause?: unknown): CriError =>
  new CriError('unavailable', `Docker at ${host} does not answer: ${reason}`, { cause });

const minorOf = (version = '1.0'): number => Number(version.split('.')[1]);

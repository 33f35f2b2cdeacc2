import { z } from 'zod';
import { isLoopbackHost } from '../../../base/input/ip-address.js';
import { durationSchema, wholeNumberSchema } from '../../../base/input/schemas.js';
import { InputError } from '../../../base/input/yaml.js';
import { apiLevels, newestApiLevel } from '../../../cri/api-level.js';
import { ownProto } from '../../../cri/own-proto/own-proto.js';
import { runtimeProfileSchema } from '../../../runtime/profiles/index.js';
import { parseEndpoint } from '../../../runtime/server/endpoint.js';
import { refereeModes } from '../../../tape/judge/referee.js';
import { endpointSchema, listenSchema, TEMPORARY } from '../../options/endpoint.js';
import { memoryFileShape, unknownImagesSchema } from '../../options/memory-settings.js';
import { PROTO_HELP } from '../../options/proto.js';
import {
  controlShape,
  keepShape,
  networkShape,
  processShape,
  urlHostSchema,
} from '../../options/server-settings.js';
import { defineSettings, flag, type SettingsOf } from '../../options/settings.js';
import { keepWithoutEffect } from '../../options/without-effect.js';
import { outputFileSchema } from '../../output/output-file.js';
import { logLevels } from '../../terminal/logger.js';

/** Settings that only some backends read; messages name the first backend. */
const READERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'remote-endpoint': ['remote'],
  tape: ['tape'],
  'on-miss': ['tape'],
  'docker-host': ['docker'],
  'docker-cert-path': ['docker'],
  'docker-sandbox-image': ['docker'],
  'docker-network': ['docker'],
  'real-network': ['memory', 'tape'],
  'pull-latency': ['memory', 'tape'],
  'unknown-images': ['memory', 'tape'],
  behaviors: ['memory', 'tape'],
  images: ['memory', 'tape'],
  'present-images': ['memory', 'tape'],
};

/** What `--backend` may be. */
export const backendNames = ['memory', 'docker', 'remote', 'tape'] as const;

/** One of `backendNames`. */
export type BackendName = (typeof backendNames)[number];

const shape = {
  listen: listenSchema
    .default('unix:///tmp/mockri.sock')
    .describe(
      'CRI endpoint: unix:///path, tcp://host:port, or temporary (a socket in a new directory, removed on exit)',
    ),
  'listen-allow-remote': flag
    .default(false)
    .describe('with backend docker or remote: allow --listen on addresses other than loopback'),
  proto: z.string().optional().describe(PROTO_HELP),
  'socket-mode': z
    .string()
    .regex(/^0?[0-7]{3}$/, 'expected three octal digits, such as 0660')
    .default('0660')
    .describe('file mode of the socket'),
  backend: z.enum(backendNames).default('memory').describe('what runs the containers'),
  'remote-endpoint': endpointSchema
    .optional()
    .describe('with backend remote: endpoint of the real runtime, unix:///path or tcp://host:port'),
  tape: z.string().optional().describe('with backend tape: the recording to reply from, made with --record'),
  'on-miss': z
    .enum(['error', 'memory'])
    .default('error')
    .describe('with backend tape: what replies to a call that is not on the tape'),
  'docker-host': z
    .string()
    .default('unix:///var/run/docker.sock')
    .describe(
      'with backend docker: address of the Docker Engine, unix:///path, tcp://host:port or https://host:port',
    ),
  'docker-cert-path': z
    .string()
    .optional()
    .describe('with backend docker: directory with ca.pem, cert.pem and key.pem; enables TLS'),
  'docker-sandbox-image': z
    .string()
    .default('registry.k8s.io/pause:3.10')
    .describe('with backend docker: image of the pod sandboxes; pulled if not present'),
  'docker-network': z.string().default('bridge').describe('with backend docker: Docker network of the pods'),
  transitions: z
    .enum(['cri', 'strict'])
    .default('cri')
    .describe(
      'strict removes only exited containers and stopped sandboxes; cri also removes running ones by force, as api.proto says',
    ),
  'events-overflow': z
    .enum(['disconnect', 'drop', 'block'])
    .optional()
    .describe("what happens if an event subscriber is too slow (default: the profile's; strict: disconnect)"),
  'events-queue': wholeNumberSchema(1, 1_000_000)
    .optional()
    .describe("maximum number of events that wait for one subscriber (default: the profile's; strict: 1000)"),
  'events-replay': flag.default(false).describe('keep events for the first subscriber, as containerd does'),
  'stream-items': wholeNumberSchema(1, 5000)
    .optional()
    .describe(
      "items in a message of StreamContainers and the other Stream* lists (default: the profile's; strict: 5000)",
    ),
  streaming: z
    .string()
    .default('127.0.0.1:0')
    .describe('address of the streaming server for exec, attach and port-forward'),
  'streaming-advertise': urlHostSchema.optional().describe('host name in the URLs of the streaming server'),
  'streaming-tls-cert': z
    .string()
    .optional()
    .describe('certificate of the streaming server (PEM file); enables https'),
  'streaming-tls-key': z
    .string()
    .optional()
    .describe("private key of the streaming server's certificate (PEM file)"),
  'pull-latency': durationSchema.default(20).describe('with backend memory: duration of an image pull'),
  'unknown-images': unknownImagesSchema,
  ...networkShape,
  'nri-socket': z
    .string()
    .optional()
    .describe(
      'with backends memory and docker: socket on which node resource plugins (NRI) connect, such as /var/run/nri/nri.sock, or temporary (in a new directory, removed on exit)',
    ),
  'nri-plugin': z
    .string()
    .optional()
    .describe('directory of NRI plugins to start, such as 10-logger; their configuration is in its conf.d'),
  'nri-registration-timeout': durationSchema
    .optional()
    .describe('how long an NRI plugin may take to register (default: 5s)'),
  'nri-request-timeout': durationSchema
    .optional()
    .describe('how long an NRI plugin may take for a request (default: 2s)'),
  'cdi-spec-dir': z
    .union([z.array(z.string()), z.string().transform((directories) => directories.split(','))])
    .default([])
    .describe(
      'with backends memory and docker: directory of CDI devices (JSON and YAML); repeatable: the last one has precedence',
    ),
  faults: z
    .union([z.array(z.string()), z.string().transform((files) => files.split(','))])
    .default([])
    .describe('file of fault rules; reloaded when it changes; repeatable'),
  seed: wholeNumberSchema(0, 0xffff_ffff)
    .optional()
    .describe("seed for the random numbers of the fault rules (default: the file's, else 1)"),
  referee: z
    .enum(refereeModes)
    .default('off')
    .describe(
      'checks of client behavior: warn logs violations; strict also refuses the call, and the server ends with exit code 1',
    ),
  record: outputFileSchema
    .optional()
    .describe('record all calls, connections and faults into this file; compressed when it ends in .gz'),
  ...keepShape,
  'api-level': z
    .enum(apiLevels)
    .default(newestApiLevel)
    .describe('version of the CRI; newer RPCs return UNIMPLEMENTED'),
  profile: runtimeProfileSchema
    .default('strict')
    .describe('with backends memory and docker: runtime to imitate'),
  latency: z
    .string()
    .optional()
    .describe(
      'with backends memory and docker: latency of operations: profile, none, or a file of times (default: profile with backend memory, except for strict)',
    ),
  ...controlShape,
  'call-history': wholeNumberSchema(1, 1_000_000)
    .default(10_000)
    .describe('number of finished calls to keep'),
  reflection: flag.default(false).describe('enable gRPC server reflection, for example for grpcurl'),
  ...processShape,
  'log-level': z.enum(logLevels).default('info').describe('debug logs every call'),
} as const;

const settings = defineSettings(shape, { version: z.literal(1).default(1), ...memoryFileShape });

/** All settings of `mockri serve`, with defaults; durations are in ms. */
export interface ServeSettings extends SettingsOf<typeof settings> {
  /** Sentences about ineffective variables and keys of the file. */
  readonly withoutEffect: readonly string[];
}

/** Adds the options of `mockri serve`. */
export const { add: addSettings } = settings;

/** Reads options, environment variables and the file. Throws InputError, also for options without effect. */
export function readSettings(...given: Parameters<typeof settings.read>): ServeSettings {
  const { values, sources } = settings.read(...given);
  refuseRemote(values);
  // The modules read the file when they are loaded, before any settings.
  if (values.proto !== undefined && ownProto === undefined)
    throw new InputError([`${sources.get('proto')}: give the file as --proto or MOCKRI_PROTO`]);
  const others = otherBackends(values.backend, sources);
  return { ...values, withoutEffect: [...others, ...keepWithoutEffect(values.record, sources)] };
}

/**
 * Sentences about ineffective settings of other backends. `sources` says where each setting comes from. Variables and
 * files may contain them, because they serve many starts. Throws InputError for options.
 */
function otherBackends(backend: string, sources: ReadonlyMap<string, string>): readonly string[] {
  const others = Object.entries(READERS).flatMap(([setting, readers]) => {
    const source = readers.includes(backend) ? undefined : sources.get(setting);
    return source === undefined ? [] : { source, isOption: source === `--${setting}`, needed: readers[0] };
  });
  const sentence = ({ source, needed }: (typeof others)[number]) =>
    `${source} has no effect without --backend ${needed}`;
  const options = others.filter(({ isOption }) => isOption);
  if (options.length > 0) throw new InputError(options.map(sentence));
  return others.map(sentence);
}

/** Everyone who reaches the endpoint controls the runtime behind it, which is usually root on this machine. */
function refuseRemote({
  backend,
  listen,
  'listen-allow-remote': isAllowed,
}: SettingsOf<typeof settings>): void {
  if (isAllowed || listen === TEMPORARY || !['docker', 'remote'].includes(backend)) return;
  const endpoint = parseEndpoint(listen);
  if (endpoint.kind === 'unix' || isLoopbackHost(endpoint.host)) return;
  throw new InputError([
    `--listen: ${listen} is reachable from the network, where anyone could control the runtime behind --backend ${backend}: choose a unix socket or 127.0.0.1, or allow it with --listen-allow-remote`,
  ]);
}

/** Contents of a settings file (`mockri serve --config FILE`). */
export const serveFileSchema = settings.file;

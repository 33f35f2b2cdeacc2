import { packagePath } from '../../base/input/package-path.js';
import { InputError } from '../../base/input/yaml.js';
import * as api from '../gen/runtime/v1/api.js';
import { changesOf, type ProtoChanges } from './changes.js';
import { type Codec, extend, NOTHING } from './extend.js';
import { NewFieldFinder, type NewFields } from './new-fields.js';
import { PACKAGE, readProto } from './read.js';

/** Set by `--proto`, so that threads and processes of a command read the same file. */
export const PROTO_VARIABLE = 'MOCKRI_PROTO';

/** An RPC in the form of generated code. */
export interface Definition {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: boolean;
  readonly requestType: Codec;
  readonly responseType: Codec;
  requestSerialize(request: object): Buffer;
  requestDeserialize(bytes: Buffer): object;
  responseSerialize(reply: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

export interface OwnProto {
  readonly path: string;
  readonly files: readonly string[];
  readonly changes: ProtoChanges;
  /** By name in camel case. */
  readonly methods: Readonly<Record<string, Definition>>;
  /** The request's and the reply's messages of all RPCs, by the RPC's name. */
  readonly rpcs: ReadonlyMap<string, { readonly request: string; readonly response: string }>;
  readonly finder: NewFieldFinder;
  decode(type: string, bytes: Buffer): object;
}

const generated = api as unknown as Readonly<Record<string, Codec>>;

/**
 * The user's own `runtime.v1`, if one was given. The generated types of messages with new fields encode, decode and
 * show them from then on, wherever they are used. Throws InputError for a file that is not valid or not compatible.
 */
export const ownProto: OwnProto | undefined = given(process.env[PROTO_VARIABLE]);

function given(path: string | undefined): OwnProto | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return apply(path);
  } catch (error) {
    throw error instanceof InputError ? new InputError([`--proto: ${error.message}`]) : error;
  }
}

function apply(path: string): OwnProto {
  const own = readProto(path);
  const shipped = readProto(packagePath('proto'));
  const changes = changesOf(path, shipped, own);
  const created = new Map<string, Codec>();
  const find = (name: string): Codec | undefined => {
    const key = name.replaceAll('.', '_');
    return created.get(name) ?? (Object.hasOwn(generated, key) ? generated[key] : undefined);
  };
  const lookup = {
    message: (name: string) => (own.messages.has(name) ? find(name) : undefined),
    values: (name: string) => own.enums.get(name) ?? new Map<string, number>(),
  };
  for (const name of own.messages.keys()) if (find(name) === undefined) created.set(name, { ...NOTHING });
  for (const [name, fields] of own.messages) {
    const extra = changes.fields.get(name) ?? [];
    const named = fields.filter((field) => changes.enums.has(field.type) && !extra.includes(field));
    const codec = find(name) as Codec;
    if (extra.length > 0 || named.length > 0)
      Object.assign(codec, extend({ ...codec }, extra, named, lookup));
  }
  const methods = changes.rpcs.map((rpc) => {
    const [requestType, responseType] = [find(rpc.request) as Codec, find(rpc.response) as Codec];
    const definition: Definition = {
      path: `/${PACKAGE}.${rpc.service}/${rpc.name}`,
      requestStream: false,
      responseStream: rpc.stream,
      requestType,
      responseType,
      requestSerialize: (request) => Buffer.from(requestType.encode(request).finish()),
      requestDeserialize: (bytes) => requestType.decode(bytes),
      responseSerialize: (reply) => Buffer.from(responseType.encode(reply).finish()),
      responseDeserialize: (bytes) => responseType.decode(bytes),
    };
    return [`${rpc.name[0]?.toLowerCase()}${rpc.name.slice(1)}`, definition];
  });
  return {
    path,
    files: own.files,
    changes,
    methods: Object.fromEntries(methods),
    rpcs: new Map(own.rpcs.map((rpc) => [rpc.name, rpc])),
    finder: new NewFieldFinder(own, shipped, changes, lookup),
    decode: (type, bytes) => (find(type) as Codec).decode(bytes),
  };
}

type Looked = readonly [type: string, message: object | undefined, path: string];

/** The new fields that are set in messages, or their bytes, each at its path; undefined without `--proto` or any. */
function newFieldsIn(...messages: readonly Looked[]): NewFields | undefined {
  const found = {};
  for (const [type, message, path] of messages) {
    if (message === undefined || ownProto?.finder.has(type) !== true) continue;
    try {
      const decoded = Buffer.isBuffer(message) ? ownProto.decode(type, message) : message;
      ownProto.finder.find(type, decoded, path, found);
    } catch {
      // A message that is only forwarded may be bytes of no such type.
    }
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/** By paths that begin with `path`. */
export const newFieldsOf = (type: string, message: object, path: string): NewFields | undefined =>
  newFieldsIn([type, message, path]);

/** By paths that begin with `request` or `reply`. */
export function newFieldsOfCall(
  rpc: string,
  request: object | undefined,
  reply: object | undefined,
): NewFields | undefined {
  const types = ownProto?.rpcs.get(rpc);
  return types && newFieldsIn([types.request, request, 'request'], [types.response, reply, 'reply']);
}

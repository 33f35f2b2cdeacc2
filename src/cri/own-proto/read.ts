import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Protobuf from 'protobufjs';
import { messageOf } from '../../base/input/error-text.js';
import { readTextFile } from '../../base/input/text-file.js';
import { InputError } from '../../base/input/yaml.js';

export interface ProtoField {
  /** As in the file: `cgroup_mount_mode`. */
  readonly name: string;
  readonly number: number;
  /** `string`, or the full name of a message or enum. */
  readonly type: string;
  readonly repeated: boolean;
  /** The key's type of a map. */
  readonly mapKey: string | undefined;
  /** Whether "not set" differs from the default: `optional`, or a member of a oneof. */
  readonly presence: boolean;
}

export interface ProtoRpc {
  readonly service: string;
  readonly name: string;
  readonly request: string;
  readonly response: string;
  readonly stream: boolean;
}

/** Full names are relative to the package: `ExecRequest`, `Outer.Inner`. */
export interface ProtoFiles {
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>;
  /** Numbers by name. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly rpcs: readonly ProtoRpc[];
  readonly files: readonly string[];
}

export const PACKAGE = 'runtime.v1';
/** The paths of the file in a checkout of Kubernetes and in this package. */
const PLACES = ['staging/src/k8s.io/cri-api/pkg/apis/runtime/v1', 'pkg/apis/runtime/v1', 'runtime/v1'];

/**
 * Reads the files of `runtime.v1` in a directory, or one file. Throws InputError with the file, and the line if known.
 */
export function readProto(path: string): ProtoFiles {
  // Only `--proto` needs the library. It is loaded synchronously, because the modules that need it are evaluated in
  // order.
  const { parse } = createRequire(import.meta.url)('protobufjs') as typeof Protobuf;
  const messages = new Map<string, readonly ProtoField[]>();
  const enums = new Map<string, ReadonlyMap<string, number>>();
  const rpcs: ProtoRpc[] = [];
  const fieldOf = (field: Protobuf.Field, around: Protobuf.Type): ProtoField => ({
    name: field.name,
    number: field.id,
    type: fullName(field.type, around),
    repeated: field.repeated,
    mapKey: 'keyType' in field ? String(field.keyType) : undefined,
    presence: field.partOf !== null,
  });
  const visit = (scope: Protobuf.NamespaceBase, file: string): void => {
    for (const each of scope.nestedArray) {
      if ('methodsArray' in each) rpcs.push(...rpcsOf(each as Protobuf.Service, path));
      else if ('values' in each)
        enums.set(shortName(each), new Map(Object.entries((each as Protobuf.Enum).values)));
      else if ('fieldsArray' in each) {
        const type = each as Protobuf.Type;
        if (messages.has(shortName(type)))
          throw new InputError([
            `${file}: message ${shortName(type)} is defined in another file of the directory too`,
          ]);
        messages.set(
          shortName(type),
          type.fieldsArray.map((field) => fieldOf(field, type)),
        );
        visit(type, file);
      }
    }
  };
  const files = filesOf(path);
  for (const file of files) {
    const text = readTextFile(file);
    let parsed: Protobuf.IParserResult;
    try {
      parsed = parse(text, { keepCase: true });
    } catch (error) {
      // At the end of a file the library fails with TypeErrors.
      const what = error instanceof TypeError ? 'it ends within a declaration' : messageOf(error);
      throw new InputError([`${file}: ${what}`]);
    }
    const scope = parsed.root.lookup(PACKAGE);
    if (parsed.package === PACKAGE && scope !== null) visit(scope as Protobuf.Namespace, file);
  }
  if (messages.size === 0) throw new InputError([`${path}: it has no message of the package ${PACKAGE}`]);
  checkTypes(path, messages, enums);
  return { messages, enums, rpcs, files };
}

function filesOf(path: string): string[] {
  if (!stat(path).isDirectory()) return [path];
  const directory = PLACES.map((place) => join(path, place)).find((place) => {
    try {
      return statSync(place).isDirectory();
    } catch {
      return false;
    }
  });
  const from = directory ?? path;
  const names = readdirSync(from).filter((name) => name.endsWith('.proto'));
  if (names.length === 0) throw new InputError([`${from}: the directory has no .proto file`]);
  return names.map((name) => join(from, name));
}

function stat(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    throw new InputError([`${path}: ${messageOf(error)}`]);
  }
}

function rpcsOf(service: Protobuf.Service, path: string): ProtoRpc[] {
  return service.methodsArray.map((rpc) => {
    if (rpc.requestStream)
      throw new InputError([
        `${path}: ${service.name}.${rpc.name}: clients of CRI send one message, so "stream" is not allowed in its request`,
      ]);
    return {
      service: service.name,
      name: rpc.name,
      request: fullName(rpc.requestType, service),
      response: fullName(rpc.responseType, service),
      stream: rpc.responseStream ?? false,
    };
  });
}

const shortName = ({ fullName }: Protobuf.ReflectionObject): string =>
  fullName.replace(new RegExp(`^\\.?${PACKAGE.replace('.', '\\.')}\\.`), '');

/** Protobuf's scoping: the innermost scope that has the name wins. */
function fullName(type: string, around: Protobuf.NamespaceBase): string {
  const found = around.lookup(type.startsWith('.') ? type.slice(1) : type);
  return found === null ? type : shortName(found);
}

export const SCALARS = [
  ...['double', 'float', 'int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64'],
  ...['fixed32', 'fixed64', 'sfixed32', 'sfixed64', 'bool', 'string', 'bytes'],
] as const;
export type Scalar = (typeof SCALARS)[number];
export const isScalar = (type: string): type is Scalar => (SCALARS as readonly string[]).includes(type);

function checkTypes(path: string, messages: ProtoFiles['messages'], enums: ProtoFiles['enums']): void {
  for (const [message, fields] of messages)
    for (const { name, type } of fields)
      if (!isScalar(type) && !messages.has(type) && !enums.has(type))
        throw new InputError([
          `${path}: ${message}.${name}: the type ${type} is neither a scalar nor in ${PACKAGE}`,
        ]);
}

import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  FieldDescriptorProto_Label,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { packagePath } from '../../base/input/package-path.js';
import { ownProto } from '../../cri/own-proto/own-proto.js';

const FILES: Readonly<Record<string, string>> = {
  'runtime.v1': 'runtime/v1/api.proto',
  'grpc.health.v1': 'grpc/health/v1/health.proto',
};

export async function addReflection(grpc: Server): Promise<void> {
  const files = Object.values({ ...FILES, ...(ownProto && { 'runtime.v1': ownProto.files }) }).flat();
  const loaded = loadSync(files, { includeDirs: [packagePath('proto')], keepCase: true });
  new ReflectionService(asProtoc(loaded)).addToServer(grpc);
}

/**
 * Converts descriptors to protoc's form. protobufjs names files after their package, has no field for JSON, and names
 * the entries of a map after its field alone, which protobuf-go refuses: descriptor.proto has `SysctlsEntry` for the
 * map `sysctls`.
 */
function asProtoc(loaded: PackageDefinition): PackageDefinition {
  const renamed = new Map<Buffer, Buffer>();
  const rename = (bytes: Buffer): Buffer => {
    const known = renamed.get(bytes) ?? withProtocNames(bytes);
    renamed.set(bytes, known);
    return known;
  };
  for (const definition of Object.values(loaded))
    if (Array.isArray(definition.fileDescriptorProtos))
      definition.fileDescriptorProtos = definition.fileDescriptorProtos.map(rename);
  return loaded;
}

function withProtocNames(bytes: Buffer): Buffer {
  const file = fromBinary(FileDescriptorProtoSchema, bytes);
  file.name = FILES[file.package] ?? file.name;
  for (const message of file.messageType) nameFields(message, `.${file.package}.${message.name}`);
  return Buffer.from(toBinary(FileDescriptorProtoSchema, file));
}

function nameFields(message: DescriptorProto, path: string): void {
  for (const field of message.field) field.jsonName = lowerCamelCase(field.name);
  for (const nested of message.nestedType) {
    const field = message.field.find(
      ({ label, typeName }) =>
        label === FieldDescriptorProto_Label.REPEATED &&
        [nested.name, `${path}.${nested.name}`].includes(typeName),
    );
    if (nested.options?.mapEntry && field !== undefined) {
      nested.name = `${camelCase(field.name)}Entry`;
      field.typeName = `${path}.${nested.name}`;
    }
    nameFields(nested, `${path}.${nested.name}`);
  }
}

/** `cgroup_parent` is cgroupParent. */
const lowerCamelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `cgroup_parent` is CgroupParent. */
const camelCase = (name: string): string => name.charAt(0).toUpperCase() + lowerCamelCase(name.slice(1));

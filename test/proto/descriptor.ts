import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fromBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';

/** Names, numbers and types of an API definition, in the format of proto/cri-v1.json. */
export interface Definition {
  readonly services: Record<string, readonly object[]>;
  readonly messages: Record<string, readonly object[]>;
  readonly enums: Record<string, readonly object[]>;
}

export const root = new URL('../../', import.meta.url).pathname;
export const buf = `${root}node_modules/.bin/buf`;

/** Content of the proto file according to its compiler. */
export async function describeProto(): Promise<Definition> {
  const { stdout } = await promisify(execFile)(
    buf,
    [
      'build',
      '--path',
      'proto/runtime',
      '--as-file-descriptor-set',
      '--exclude-source-info',
      '-o',
      '-#format=binpb',
    ],
    { cwd: root, encoding: 'buffer', maxBuffer: 16 * 1024 * 1024 },
  );
  const [file, ...others] = fromBinary(FileDescriptorSetSchema, stdout).file;
  if (file === undefined || others.length > 0) throw new Error('expected the API in one file');
  return describeFile(file);
}

function describeFile(file: FileDescriptorProto): Definition {
  const prefix = `.${file.package}.`;
  const local = (name: string) => name.replace(prefix, '');
  const definition: Definition = { services: {}, messages: {}, enums: {} };
  for (const service of file.service)
    definition.services[service.name] = service.method.map((method) => ({
      name: method.name,
      request: local(method.inputType),
      response: local(method.outputType),
      ...(method.clientStreaming && { clientStreaming: true }),
      ...(method.serverStreaming && { serverStreaming: true }),
    }));
  const addEnum = (described: EnumDescriptorProto, scope: string) => {
    definition.enums[scope + described.name] = described.value.map(({ name, number }) => ({ name, number }));
  };
  const addMessage = (message: DescriptorProto, scope: string) => {
    definition.messages[scope + message.name] = message.field.map((field) =>
      describeField(field, message, local),
    );
    const inner = `${scope}${message.name}.`;
    for (const nested of message.enumType) addEnum(nested, inner);
    for (const nested of message.nestedType) if (!nested.options?.mapEntry) addMessage(nested, inner);
  };
  for (const described of file.enumType) addEnum(described, '');
  for (const message of file.messageType) addMessage(message, '');
  return definition;
}

function describeField(
  field: FieldDescriptorProto,
  owner: DescriptorProto,
  local: (name: string) => string,
): object {
  const { name, number } = field;
  const entry = owner.nestedType.find(
    (nested) => nested.options?.mapEntry && local(field.typeName) === `${owner.name}.${nested.name}`,
  );
  if (entry)
    return { name, number, type: `map<${entry.field.map((part) => typeOf(part, local)).join(', ')}>` };
  const type = typeOf(field, local);
  return { name, number, type, ...(field.label === Label.REPEATED && { label: 'repeated' }) };
}

function typeOf(field: FieldDescriptorProto, local: (name: string) => string): string {
  return field.typeName === '' ? (Type[field.type] ?? '').toLowerCase() : local(field.typeName);
}

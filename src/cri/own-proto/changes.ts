import { InputError } from '../../base/input/yaml.js';
import type { ProtoField, ProtoFiles } from './read.js';

/** What differs from the shipped api.proto, as `+ ExecRequest.envs = 5 (repeated KeyValue)`. */
export interface ProtoChanges {
  readonly lines: readonly string[];
  /** New fields by message; all fields of a new message. */
  readonly fields: ReadonlyMap<string, readonly ProtoField[]>;
  /** Enums with another set of values, and new ones. */
  readonly enums: ReadonlySet<string>;
  readonly rpcs: ProtoFiles['rpcs'];
}

/** Throws InputError if a field, an RPC or a value means something else than in the shipped file. */
export function changesOf(path: string, shipped: ProtoFiles, own: ProtoFiles): ProtoChanges {
  const lines: string[] = [];
  const problems: string[] = [];
  const fields = new Map<string, readonly ProtoField[]>();
  for (const [message, before] of shipped.messages)
    for (const field of before)
      if (!own.messages.get(message)?.some(({ number }) => number === field.number))
        lines.push(`- ${message}.${field.name} = ${field.number}`);
  for (const [message, after] of own.messages) {
    const before = shipped.messages.get(message);
    const added: ProtoField[] = [];
    for (const field of after) {
      const known = before?.find(({ number }) => number === field.number);
      const namesake = before?.find(({ name }) => name === field.name);
      const shown = `${message}.${field.name} = ${field.number} (${describe(field)})`;
      if (known !== undefined && describe(known) !== describe(field))
        problems.push(
          `${shown}: number ${field.number} is ${known.name}, of type ${describe(known)}, in the shipped file`,
        );
      else if (known === undefined && namesake !== undefined)
        problems.push(`${shown}: ${field.name} has the number ${namesake.number} in the shipped file`);
      else if (known === undefined) {
        added.push(field);
        if (before !== undefined) lines.push(`+ ${shown}`);
      } else if (known.name !== field.name)
        lines.push(
          `~ ${message}.${known.name} = ${field.number} is called ${field.name}; the shipped name stays`,
        );
    }
    if (before === undefined)
      lines.push(`+ message ${message} (${after.map(({ name }) => name).join(', ')})`);
    if (added.length > 0 || before === undefined) fields.set(message, added);
  }
  const enums = new Set<string>();
  for (const [name, values] of own.enums) {
    const before = shipped.enums.get(name);
    if (before === undefined) lines.push(`+ enum ${name} (${[...values.keys()].join(', ')})`);
    for (const [value, number] of values) {
      if (before?.get(value) === number) continue;
      enums.add(name);
      if (before?.has(value))
        problems.push(`${name}.${value} = ${number}: it is ${before.get(value)} in the shipped file`);
      else if (before !== undefined) lines.push(`+ ${name}.${value} = ${number}`);
    }
  }
  const rpcs = own.rpcs.filter((rpc) => {
    const known = shipped.rpcs.find(({ name, service }) => name === rpc.name && service === rpc.service);
    if (known === undefined) {
      lines.push(
        `+ rpc ${rpc.service}.${rpc.name}(${rpc.request}) returns (${rpc.stream ? 'stream ' : ''}${rpc.response})`,
      );
      return true;
    }
    if (known.request !== rpc.request || known.response !== rpc.response || known.stream !== rpc.stream)
      problems.push(`rpc ${rpc.service}.${rpc.name}: its messages are others than in the shipped file`);
    return false;
  });
  for (const rpc of shipped.rpcs)
    if (!own.rpcs.some(({ name }) => name === rpc.name)) lines.push(`- rpc ${rpc.service}.${rpc.name}`);
  if (problems.length > 0)
    throw new InputError(problems.map((problem) => `${path}: incompatible with CRI v1: ${problem}`));
  return { lines, fields, enums, rpcs };
}

const describe = ({ type, repeated, mapKey }: ProtoField): string =>
  mapKey === undefined ? `${repeated ? 'repeated ' : ''}${type}` : `map<${mapKey}, ${type}>`;

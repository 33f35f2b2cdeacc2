import { readFileSync } from 'node:fs';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Fields {
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

interface Rpc {
  readonly name: string;
  readonly request: string;
  readonly response: string;
}

interface Api {
  readonly services: Readonly<Record<string, { readonly rpcs: readonly Rpc[] }>>;
  readonly messages: Readonly<Record<string, Fields>>;
}

/** The API’s services and messages, from proto/cri-v1.json. */
export const api = JSON.parse(read('proto/cri-v1.json')) as Api;

export const rpcs: readonly Rpc[] = Object.values(api.services).flatMap((service) => service.rpcs);

/** The sentences of api.proto with their item, such as `Mount.readonly`; without versions. */
export function statements(): readonly (readonly [item: string, sentence: string])[] {
  const found: [string, string][] = [];
  const scope: string[] = [];
  let comment: string[] = [];
  for (const line of read('proto/runtime/v1/api.proto')
    .split('\n')
    .map((text) => text.trim())) {
    if (line.startsWith('//')) {
      comment.push(line.slice(2).trim());
      continue;
    }
    const [, opened] = /^(?:service|message|enum) (\w+) \{$/.exec(line) ?? [];
    if (opened !== undefined) scope.push(opened);
    const [, rpc] = /^rpc (\w+)/.exec(line) ?? [];
    const [, field] = /(\w+) = \d+;/.exec(line) ?? [];
    const item = rpc ?? [...scope, ...(field === undefined ? [] : [field])].join('.');
    const texts = comment.join(' ').split(/(?<=\.) (?=[A-Z0-9])/);
    for (const text of texts) if (text !== '' && !/^(Since|Before) v/.test(text)) found.push([item, text]);
    if (line === '}') scope.pop();
    comment = [];
  }
  // The comment at the head of the file belongs to no item.
  return found.filter(([item]) => item !== '');
}

import { invariantOf } from '../../../src/suite/conformance/check.js';
import { type Sentence, sentences } from '../../../src/suite/conformance/sentences.js';
import { table } from '../../support/markdown-table.js';
import { api, rpcs } from './api-text.js';
import type { Use, Uses } from './coverage-recorder.js';

const bar = (text: string): string => text.replaceAll('|', '\\|');

/** The page with the checks of each sentence of api.proto. */
export function sentencesPage(): string {
  const all = sentences();
  const tested = all.filter(({ reason }) => reason === undefined);
  const row = ({ item, text, checks, reason }: Sentence) => [
    `\`${item}\``,
    bar(text),
    reason === undefined ? checks.join(', ') : `– ${reason}`,
  ];
  return `# What holds each sentence of the API

Every sentence of [api.proto](../../proto/runtime/v1/api.proto), by the RPC, message, field or value that it is about, with the
checks of the conformance suite that hold it, or the reason why it cannot be tested from outside. ${tested.length} of
${all.length} sentences are held. This page is generated (\`npm run gen:invariants\`).

${table([['about', 'sentence', 'held by'], ...all.map(row)])}
`;
}

/** The suite tests runtimes on Linux only. */
const isOfLinux = (type: string): boolean => !type.startsWith('Windows');

/** The message types of a request or reply, in order of appearance. */
function messagesIn(type: string, found = new Set<string>()): ReadonlySet<string> {
  if (api.messages[type] === undefined || found.has(type) || !isOfLinux(type)) return found;
  found.add(type);
  for (const field of api.messages[type].fields) messagesIn(field.type, found);
  return found;
}

/** Each field of the request and the reply of each RPC, as \`RPC Message.field\`. */
export const fieldKeys: readonly string[] = rpcs.flatMap(({ name, request, response }) =>
  [request, response].flatMap((type) =>
    [...messagesIn(type)].flatMap((message) =>
      (api.messages[message]?.fields ?? [])
        .filter((field) => isOfLinux(field.type))
        .map((field) => `${name} ${message}.${field.name}`),
    ),
  ),
);

/** Shows invariants instead of checks for a field with many checks. */
function shortened({ checks }: Use): string {
  const ids = [...checks].sort();
  if (ids.length <= 4) return ids.join(', ');
  const invariants = [...new Set(ids.map(invariantOf))].sort();
  return invariants.length <= 8 ? invariants.join(', ') : `${ids.length} checks`;
}

function row(key: string, uses: Uses): readonly string[] {
  const use = uses.get(key);
  const name = key.split(' ')[1] ?? 'the call';
  if (use === undefined) return [`\`${name}\``, '–', '–'];
  return [`\`${name}\``, [...use.states].sort().join(', '), shortened(use)];
}

/** The page of fields with the checks and states that use them. */
export function fieldsPage(uses: Uses): string {
  const keys = [...new Set(fieldKeys)];
  const used = keys.filter((key) => uses.has(key)).length;
  const section = ({ name }: { readonly name: string }) => {
    const own = keys.filter((key) => key.startsWith(`${name} `));
    const rows = [name, ...own].map((key) => row(key, uses));
    return `## ${name}\n\n${table([['field', 'in the states', 'checks'], ...rows])}\n`;
  };
  return `# What the suite uses of the API

Which checks send a field of a request or receive a field of a reply with another value than its default, and in which states
of the pod or container that the call is about. Measured in a run of the conformance suite on the memory
backend: ${used} of ${keys.length} fields of ${rpcs.length} RPCs are used. A field that is used need not be checked;
\`npm run api -- sentences\` says what is. Fields of Windows are left out.

${rpcs.map(section).join('\n')}`;
}

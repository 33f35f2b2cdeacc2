import { createHash } from 'node:crypto';
import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';
import { type Problem, pullFailures } from '../../cri/errors.js';
import type { CodeName } from '../../cri/status-code.js';
import type { Answer } from './profile.js';

const codes = ['NOT_FOUND', 'UNKNOWN'] as const satisfies readonly CodeName[];
const failures = z.record(z.enum(pullFailures), z.tuple([z.enum(codes), z.string()]));
const schema = z.strictObject({ containerd: failures, 'cri-o': failures });

/** Code and text of a pull that fails. */
export function pullAnswer(
  runtime: keyof z.output<typeof schema>,
  { failure, image, reason = '' }: Extract<Problem, { readonly name: 'failed-pull' }>,
): Answer {
  const [code, text] = packageData('src/runtime/profiles/pull-failures.yaml', schema)[runtime][failure];
  const [, host = '', path = '', tag = ''] = /^([^/]+)\/(.*?)(?:@|:(?=[^:@/]*$))(.*)$/.exec(image) ?? [];
  // A name has an address for documentation (RFC 5737).
  const address = /^[\d.]+:\d+$/.test(host) ? host : '192.0.2.1:443';
  const digest = `sha256:${createHash('sha256').update(image).digest('hex')}`;
  const parts: Readonly<Record<string, string>> = { image, host, address, path, tag, digest, reason };
  return { code, text: text.replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '') };
}

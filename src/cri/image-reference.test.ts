import { expect, test } from 'vitest';
import fc from '../../test/support/properties.js';
import { formatImageReference, parseImageReference } from './image-reference.js';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const normal = (text: string) => {
  const reference = parseImageReference(text);
  return reference && formatImageReference(reference);
};

test.each([
  ['busybox', 'docker.io/library/busybox:latest'],
  ['busybox:1', 'docker.io/library/busybox:1'],
  ['docker.io/busybox', 'docker.io/library/busybox:latest'],
  ['index.docker.io/library/busybox', 'docker.io/library/busybox:latest'],
  ['someone/thing', 'docker.io/someone/thing:latest'],
  ['localhost/thing', 'localhost/thing:latest'],
  ['localhost:5000/a/b:t', 'localhost:5000/a/b:t'],
  ['registry.k8s.io/pause:3.9', 'registry.k8s.io/pause:3.9'],
  [`gcr.io/a@${DIGEST}`, `gcr.io/a@${DIGEST}`],
  [`gcr.io/a:tag@${DIGEST}`, `gcr.io/a@${DIGEST}`],
  ['UPPER/case', 'UPPER/case:latest'],
])('%s is %s', (text, expected) => expect(normal(text)).toBe(expected));

test.each([
  '',
  'a'.repeat(64),
  'Busybox',
  'gcr.io/Upper',
  'a:',
  'a@sha256:12',
  'a//b',
  '-a',
  'a:b:c',
  'a b',
  'gcr.io/a:t@',
])('%j is none', (text) => expect(parseImageReference(text)).toBeUndefined());

test('what is normal stays as it is', () => {
  const component = fc.stringMatching(/^[a-z0-9]{1,8}([-._][a-z0-9]{1,4})?$/);
  const tag = fc.stringMatching(/^\w[\w.-]{0,20}$/);
  fc.assert(
    fc.property(fc.array(component, { minLength: 1, maxLength: 3 }), fc.option(tag), (path, given) => {
      const once = normal(path.join('/') + (given === null ? '' : `:${given}`));
      expect(once).toBeDefined();
      expect(normal(once as string)).toBe(once);
    }),
  );
});

import { expect, it } from 'vitest';
import { CriError } from '../../src/cri/errors.js';
import { isConnectionError, messageOf, toCriError, unlessMissing } from './errors.js';

const refusal = (statusCode: number, message: string): Error =>
  Object.assign(new Error(`(HTTP code ${statusCode}) reason - ${message} `), {
    statusCode,
    json: { message },
  });

it.each([
  [400, 'invalid'],
  [403, 'denied'],
  [404, 'not-found'],
  [409, 'wrong-state'],
  [500, 'internal'],
])("tells Docker's status %i as %s, in Docker's words", (status, kind) => {
  expect(toCriError(refusal(status, 'because'), 'creating it')).toMatchObject({
    kind,
    message: 'creating it failed: because',
  });
});

it('tells a full disk from other failures', () => {
  const full = refusal(500, 'write /var/lib/docker/tmp: no space left on device');
  expect(toCriError(full, 'pulling')).toMatchObject({ kind: 'exhausted' });
});

it('tells a Docker that is away, and a client that has gone', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED /docker.sock'), { code: 'ECONNREFUSED' });
  expect(isConnectionError(away)).toBe(true);
  expect(toCriError(away, 'creating it')).toMatchObject({ kind: 'unavailable' });
  const gone = Object.assign(new Error('aborted'), { name: 'AbortError' });
  expect(isConnectionError(gone)).toBe(false);
  expect(toCriError(gone, 'pulling')).toMatchObject({ kind: 'cancelled' });
});

it('leaves its own errors as they are', () => {
  const error = new CriError('unsupported', 'no');
  expect(toCriError(error, 'creating it')).toBe(error);
});

it('takes the text out of what docker-modem makes of a stream', () => {
  const error = Object.assign(new Error('(HTTP code 500) server error - no route to host '), { json: null });
  expect(messageOf(error)).toBe('no route to host');
});

it('minds a missing object only where it has to', async () => {
  expect(await unlessMissing(Promise.reject(refusal(404, 'none')))).toBeUndefined();
  await expect(unlessMissing(Promise.reject(refusal(500, 'broken')))).rejects.toThrow('broken');
});

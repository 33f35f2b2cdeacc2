import { expect, test } from 'vitest';
import { selfSigned } from '../../../base/certificates/keyed-certificate.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { freePorts } from '../../../kubelet/hosts/program/free-ports.js';
import { ApiRefusal, openApi } from './api.js';

test('an API server that does not listen is named, without a stack trace', async () => {
  const [port = 0] = await freePorts(1);
  const { cert } = selfSigned({ commonName: 'a', organization: 'b', hosts: ['127.0.0.1'] }, 0);
  const api = openApi(createVirtualClock(), { port, ca: cert }, 'token');
  const asked = api.send({ method: 'GET', path: '/readyz' });
  await expect(asked).rejects.toThrow(ApiRefusal);
  await expect(asked).rejects.toThrow(`GET /readyz: connect ECONNREFUSED 127.0.0.1:${port}`);
  api.close();
});

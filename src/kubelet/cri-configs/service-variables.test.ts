import { expect, test } from 'vitest';
import { noObjects, type ServiceAddress } from '../kube-objects.js';
import { serviceVariables } from './service-variables.js';

const web: ServiceAddress = {
  name: 'my-web',
  clusterIP: '10.0.0.7',
  ports: [
    { name: 'http-main', port: 80, protocol: 'TCP' },
    { port: 53, protocol: 'UDP' },
  ],
};
const api: ServiceAddress = {
  name: 'kubernetes',
  clusterIP: '10.0.0.1',
  ports: [{ name: 'https', port: 443, protocol: 'TCP' }],
};
const objects = {
  ...noObjects,
  services: (namespace: string) => (namespace === 'default' ? [api, { ...web, name: 'other' }] : [web]),
};

test('variables of a service are those of the kubelet', () => {
  const variables = serviceVariables(objects, 'shop', true);
  expect(Object.fromEntries([...variables].filter(([name]) => name.startsWith('MY')))).toEqual({
    MY_WEB_SERVICE_HOST: '10.0.0.7',
    MY_WEB_SERVICE_PORT: '80',
    MY_WEB_SERVICE_PORT_HTTP_MAIN: '80',
    MY_WEB_PORT: 'tcp://10.0.0.7:80',
    MY_WEB_PORT_80_TCP: 'tcp://10.0.0.7:80',
    MY_WEB_PORT_80_TCP_PROTO: 'tcp',
    MY_WEB_PORT_80_TCP_PORT: '80',
    MY_WEB_PORT_80_TCP_ADDR: '10.0.0.7',
    MY_WEB_PORT_53_UDP: 'udp://10.0.0.7:53',
    MY_WEB_PORT_53_UDP_PROTO: 'udp',
    MY_WEB_PORT_53_UDP_PORT: '53',
    MY_WEB_PORT_53_UDP_ADDR: '10.0.0.7',
  });
  expect(variables.get('KUBERNETES_SERVICE_PORT_HTTPS')).toBe('443');
  expect([...variables.keys()].some((name) => name.startsWith('OTHER'))).toBe(false);
});

test('a pod without service links has only the variables of the API server', () => {
  const names = [...serviceVariables(objects, 'shop', false).keys()];
  expect(names).toContain('KUBERNETES_SERVICE_HOST');
  expect(names.every((name) => name.startsWith('KUBERNETES_'))).toBe(true);
});

test('before the services were read there are no variables', () => {
  expect(() => serviceVariables({ ...noObjects, services: () => undefined }, 'shop', true)).toThrow(
    'services have not yet been read at least once, cannot construct envvars',
  );
});

import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateRequest, createEd25519Key, createKey, selfSignedCertificate } from './certificate.js';

const subject = {
  commonName: 'system:node:mock-0',
  organization: 'system:nodes',
  hosts: ['127.0.0.1', '::1', 'fd00::2:0:0:3', 'node.example.com'],
};
const HOUR = 3_600_000;

test('a self-signed certificate has its names, its times and its own key', () => {
  const keys = createKey();
  const from = Date.UTC(2026, 0, 1);
  const certificate = new X509Certificate(selfSignedCertificate(keys, subject, { from, to: from + HOUR }));
  expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:mock-0');
  expect(certificate.subjectAltName).toBe(
    'IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FD00:0:0:0:2:0:0:3, DNS:node.example.com',
  );
  expect([certificate.validFrom, certificate.validTo]).toEqual([
    'Jan  1 00:00:00 2026 GMT',
    'Jan  1 01:00:00 2026 GMT',
  ]);
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.verify(keys.publicKey)).toBe(true);
  expect(certificate.verify(createKey().publicKey)).toBe(false);
  expect(certificate.checkPrivateKey(keys.privateKey)).toBe(true);
});

test('certificates of Ed25519 keys all have the same length', () => {
  const times = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) };
  const lengths = Array.from({ length: 50 }, () => {
    const keys = createEd25519Key();
    const certificate = new X509Certificate(selfSignedCertificate(keys, subject, times));
    expect(certificate.verify(keys.publicKey)).toBe(true);
    return certificate.raw.length;
  });
  expect(new Set(lengths).size).toBe(1);
});

const openssl = spawnSync('openssl', ['version']).status === 0;

test.runIf(openssl)('OpenSSL reads a request, and verifies its signature', () => {
  const input = certificateRequest(createKey(), subject);
  const { stdout, stderr, status } = spawnSync('openssl', ['req', '-verify', '-noout', '-text'], { input });
  expect(status, String(stderr)).toBe(0);
  expect(String(stdout)).toMatch(/Subject: O ?= ?system:nodes, CN ?= ?system:node:mock-0/);
  expect(String(stdout)).toContain('IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
});

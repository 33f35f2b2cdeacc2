import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

interface Manifest {
  readonly kind: string;
  readonly roleRef?: { readonly name: string };
  readonly rules?: readonly { readonly resources: readonly string[] }[];
}

const manifests = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(new URL(`../../deploy/kubernetes/${file}`, import.meta.url), 'utf8')).map(
    (document) => document.toJS() as Manifest,
  );

test('the account of deploy/kubernetes may only bootstrap nodes: it has no other rights', () => {
  const all = manifests('rbac.yaml');
  expect(all.flatMap(({ rules = [] }) => rules)).toEqual([]);
  expect(all.flatMap(({ roleRef }) => roleRef?.name ?? [])).toEqual([
    'system:node-bootstrapper',
    'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    'extension-apiserver-authentication-reader',
  ]);
});

test('serving certificates need the right to approve them, and no more', () => {
  const resources = manifests('serving-certificates/approval.yaml')
    .flatMap(({ rules = [] }) => rules)
    .flatMap((rule) => rule.resources);
  expect(resources).toEqual(['certificatesigningrequests/approval', 'signers']);
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The clients for Go and Python name routes, parameters and fields. Each must be in schemas/openapi.json.

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const api = JSON.parse(read('schemas/openapi.json'));
const schemas: Readonly<Record<string, Schema>> = api.components.schemas;

/** The schema at a path of properties; a list's elements need no step in the path. */
function schemaAt(path: string): Schema {
  const [first = '', ...rest] = path.split('.');
  const found = rest.reduce((schema, name) => {
    const next = schema?.properties?.[name];
    return next?.items ?? next;
  }, schemas[first]);
  if (found === undefined) throw new Error(`schemas/openapi.json has no ${path}`);
  return found;
}
const namesAt = (path: string): string[] => Object.keys(schemaAt(path).properties ?? {});

const routes = Object.entries<object>(api.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
);
const filters: string[] = api.paths['/v1/calls'].get.parameters.map(({ name }: { name: string }) => name);

/** Where the classes of both clients are described. */
const described = {
  Call: 'Call',
  Rule: 'Rule',
  State: 'State',
  Condition: 'State.conditions',
  Sandbox: 'State.sandboxes',
  Container: 'State.sandboxes.containers',
  Finding: 'GetRefereeReply.findings',
  Plugin: 'GetPluginsReply.plugins',
  Adjusted: 'GetPluginsReply.adjusted',
  Moment: 'GetHistoryReply.entries',
};

const goTypes = read('clients/go/types.go') + read('clients/go/envnode/control.go');
const goRequests = read('clients/go/control.go') + read('clients/go/plugins.go');
const fieldsOfGo = (name: string): string[] => {
  const [, body = ''] = new RegExp(`^type ${name} struct \\{\n(.*?)^\\}`, 'ms').exec(goTypes) ?? [];
  return [...body.matchAll(/^\t(?:\w+\s.*|\} )`json:"(\w+)/gm)].map(([, field = '']) => field);
};

const goNodeRequests = read('clients/go/envnode/control.go') + read('clients/go/envnode/rules.go');

const pythonTypes = read('clients/python/src/mockri/types.py');
const pythonRequests = read('clients/python/src/mockri/server.py');
const fieldsOfPython = (name: string): string[] => {
  const [, body = ''] = new RegExp(`^class ${name}\\b.*?:\n(.*?)(?=^\\S)`, 'ms').exec(pythonTypes) ?? [];
  return [...body.matchAll(/^ {4}(\w+): /gm)].map(([, field = '']) =>
    field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
};

test.each(Object.entries(described))('%s of the clients has the described fields', (name, path) => {
  expect(fieldsOfGo(name).sort(), 'Go').toEqual(namesAt(path).sort());
  expect(fieldsOfPython(name).sort(), 'Python').toEqual(namesAt(path).sort());
});

test('the parts of a subject in the Go client', () => {
  expect(fieldsOfGo('Subject')).toEqual(namesAt('Call.subject'));
  expect(fieldsOfGo('PodNames')).toEqual(namesAt('Call.subject.pod'));
  expect(fieldsOfGo('ContainerNames')).toEqual(namesAt('Call.subject.container'));
});

test('the routes of the clients exist', () => {
  const goRoutes = [
    ...(goRequests + goNodeRequests).matchAll(/ask\(http\.Method(\w+), ("\/.*?)(?:\?|, )/g),
  ].map(
    ([, method = '', path = '']) =>
      `${method.toUpperCase()} ${path.replace(/"\+url\.PathEscape\(.*?\)(\+")?/g, '{}').replaceAll('"', '')}`,
  );
  const pythonRoutes = [
    ...(pythonRequests + read('clients/python/src/mockri/nodes.py')).matchAll(
      /_ask\("(\w+)", f?"(\/.*?)(?:\?|"[,)])/g,
    ),
  ].map(([, method, path = '']) => `${method} ${path.replace(/\{_quote\(.*?\)\}/g, '{}')}`);
  for (const used of [goRoutes, pythonRoutes]) {
    expect(used.length).toBeGreaterThan(6);
    expect(routes).toEqual(expect.arrayContaining(used));
  }
});

test('the parameters of GET /v1/calls exist', () => {
  const goFilters = [...goRequests.matchAll(/query\.Set\("(\w+)"|"(\w+)": filter\./g)].map(
    ([, set, listed]) => set ?? listed,
  );
  const pythonFilters = [
    ...fieldsOfPython('CallFilter'),
    ...[...pythonRequests.matchAll(/query\["(\w+)"\]/g)].map(([, name]) => name),
  ];
  expect(goFilters.sort()).toEqual([...filters].sort());
  expect(pythonFilters.sort()).toEqual([...filters].sort());
});

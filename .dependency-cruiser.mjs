// Which part of the project may import which: the picture of docs/architecture.md as rules. Tests are free.

/** What each part imports, in addition to itself and packages; docs/architecture.md has it as a table. */
export const parts = {
  'src/base': [],
  'src/cri': ['src/base'],
  'src/tape': ['src/base', 'src/cri'],
  'src/linux': ['src/base'],
  'src/kubelet': ['src/base', 'src/cri', 'src/tape'],
  'src/runtime': ['src/base', 'src/cri', 'src/tape'],
  'src/suite': ['src/base', 'src/cri', 'src/tape'],
  'adapters/memory': [
    'src/base',
    'src/cri',
    'src/linux',
    'src/kubelet/disk',
    'src/kubelet/kubernetes',
    'src/runtime/engine',
  ],
  'adapters/docker': ['src/base', 'src/cri', 'src/runtime/engine'],
  'adapters/remote': ['src/base', 'src/cri'],
  'adapters/tape': ['src/base', 'src/cri', 'src/tape'],
  'src/cluster': [
    'src/base',
    'src/cri',
    'src/tape',
    'src/kubelet/index',
    'src/kubelet/hosts',
    'src/kubelet/kubernetes',
    'src/runtime',
    'adapters/memory',
  ],
  'src/lab': [
    'src/base',
    'src/cri',
    'src/tape',
    'src/linux',
    'src/kubelet',
    'src/runtime',
    'src/cluster',
    'adapters/memory',
  ],
  'src/testing': ['src/base', 'src/cri', 'src/tape', 'src/linux', 'src/kubelet', 'src/runtime', 'adapters'],
  'src/cli': ['src', 'adapters'],
};

/**
 * What each folder of a part imports of the others, so that there are no circles. All import the files next to the
 * folders, and what is under `*`.
 */
export const folders = {
  'src/base': {
    '*': [],
    certificates: [],
    clock: [],
    'grpc-health': [],
    host: ['input'],
    input: [],
    markup: [],
    network: ['clock', 'host', 'input'],
    random: [],
  },
  'src/kubelet': {
    '*': ['kubernetes', 'types'],
    admission: ['resources'],
    'api-server': [],
    backoff: [],
    client: ['disk'],
    config: [],
    'cri-configs': ['client', 'disk', 'resources'],
    decisions: ['resources'],
    disk: [],
    events: [],
    hosts: ['api-server', 'backoff', 'config', 'images', 'metrics', 'node', 'pleg', 'resources', 'status'],
    http: ['metrics'],
    images: ['backoff', 'client', 'cri-configs'],
    kubernetes: [],
    metrics: ['pleg'],
    node: [],
    pleg: ['client', 'disk'],
    pods: [],
    probes: ['client', 'cri-configs', 'decisions', 'runtime', 'status'],
    resize: ['admission', 'decisions', 'resources', 'status'],
    resources: [],
    runtime: ['backoff', 'client', 'cri-configs', 'decisions', 'disk', 'resources'],
    status: ['client', 'decisions', 'resources'],
    sync: ['admission', 'client', 'decisions', 'pleg', 'resize', 'resources', 'runtime', 'status'],
  },
  'src/runtime': {
    '*': [],
    assembly: ['cdi', 'engine', 'faults', 'nri', 'profiles', 'server', 'ttrpc'],
    cdi: [],
    control: ['assembly', 'engine', 'faults', 'server'],
    engine: [],
    faults: [],
    nri: ['cdi', 'engine/backend', 'ttrpc'],
    profiles: ['engine/(rules|backend|events/event-options)', 'nri/rules'],
    server: [],
    streaming: ['engine/(backend|streaming)'],
    ttrpc: [],
  },
  'src/suite': {
    '*': [],
    conformance: ['deviations'],
    deviations: [],
    diff: ['conformance'],
    load: ['conformance', 'deviations', 'diff'],
    replay: ['diff'],
  },
  'src/lab': {
    '*': [],
    cluster: [],
    scenario: [],
    explore: ['scenario'],
    reproduce: ['explore', 'scenario'],
  },
};

/** Packages that one part of the project wraps for the others. */
const wrapped = {
  dockerode: 'adapters/docker',
  commander: 'src/cli',
  ws: 'src/cri/websocket|src/runtime/streaming|src/suite/conformance/streams',
  yaml: 'src/base/input|src/kubelet',
  '@grpc/(reflection|proto-loader)': 'src/runtime/server',
  preact: 'src/tape/viewer/page',
  // The generated code has clients and service definitions of grpc-js.
  '@grpc/grpc-js': 'src/runtime/server|src/cri/(client|gen)|adapters/remote',
};

/**
 * Files whose types refer to each other, each line one circle that stays; docs/architecture.md says why. Code never
 * has a circle, and a new circle of types is an error: move the type to a file of its own instead.
 */
const typeCircles = [
  'src/linux/fs/(vnode|walker)[.]ts',
  'src/linux/fs/layer/[a-z]+[.]ts',
  'src/linux/process/(process-table|simulated-process)[.]ts',
  'adapters/memory/(node|pods/pod|containers/container(-run|-view)?)[.]ts',
];

const test = '[.]test[.]ts$';

const partRules = Object.entries(parts).map(([part, below]) => ({
  name: `part-${part.replace('/', '-')}`,
  comment: `${part} imports only ${[...below, 'packages'].join(', ')}.`,
  severity: 'error',
  from: { path: `^${part}/`, pathNot: test },
  to: { path: '^(src|adapters|test)/', pathNot: [part, ...below].map((path) => `^${path}[/.]`) },
}));

const folderRules = Object.entries(folders).flatMap(([part, { '*': always, ...table }]) =>
  Object.entries(table).map(([folder, below]) => ({
    name: `folder-${part.replace('/', '-')}-${folder}`,
    comment: `${part}/${folder} imports only ${[...below, ...always].join(', ') || 'nothing'} of its part.`,
    severity: 'error',
    from: { path: `^${part}/${folder}/`, pathNot: test },
    to: {
      path: `^${part}/[^/]+/`,
      pathNot: [folder, ...always, ...below].map((path) => `^${part}/${path}[/.]`),
    },
  })),
);

const unlistedFolders = Object.entries(folders).map(([part, table]) => ({
  name: `every-folder-of-${part.replace('/', '-')}-is-listed`,
  comment: `A new folder of ${part} gets a line in the table above.`,
  severity: 'error',
  from: { path: `^${part}/[^/]+/`, pathNot: Object.keys(table).map((folder) => `^${part}/${folder}/`) },
  to: {},
}));

const packageRules = Object.entries(wrapped).map(([name, home]) => ({
  name: `wrapped-${name}`,
  comment: `Only ${home} knows the package ${name}.`,
  severity: 'error',
  from: { path: '^(src|adapters)/', pathNot: [test, `^(${home})/`] },
  to: { path: `(^|/)node_modules/(@types/)?${name}/` },
}));

const circleRules = [
  {
    name: 'no-new-type-circle',
    comment: 'Two files whose types refer to each other: move a type to a file of its own.',
    severity: 'error',
    from: { pathNot: [test, ...typeCircles.map((circle) => `^${circle}$`)] },
    to: { circular: true },
  },
  ...typeCircles.map((circle) => ({
    name: 'no-larger-type-circle',
    comment: `The circle ${circle} holds these files only.`,
    severity: 'error',
    from: { path: `^${circle}$`, pathNot: test },
    to: { circular: true, via: { pathNot: `^${circle}$` } },
  })),
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'every-file-has-a-part',
      comment: 'A new part gets a line in the table above.',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: Object.keys(parts).map((part) => `^${part}/`) },
      to: {},
    },
    ...partRules,
    ...folderRules,
    ...unlistedFolders,
    {
      name: 'only-hosts-make-a-kubelet',
      comment: 'Whoever runs a kubelet asks src/kubelet/hosts for it, and for its settings.',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: [test, '^src/kubelet/'] },
      to: { path: '^src/kubelet/(kubelet|config/(profile|kubelet-configuration))[.]ts$' },
    },
    ...packageRules,
    {
      name: 'network',
      comment: 'What is simulated connects and listens through src/base/network, which knows what is real.',
      severity: 'error',
      from: {
        path: '^(src/linux|src/kubelet|adapters/memory)/',
        // They reserve addresses, tell addresses from other text, and start real kubelets.
        pathNot: [
          test,
          '^adapters/memory/pods/addresses[.]ts$',
          '^src/kubelet/(client/pod-status[.]ts$|hosts/)',
        ],
      },
      to: { path: '^(node:)?(net|dgram|dns)(/|$)', dependencyTypesNot: ['type-only'] },
    },
    ...circleRules,
    {
      name: 'no-cycle',
      comment: 'Code has no circle, whatever the types do.',
      severity: 'error',
      from: { pathNot: test },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: test },
      to: { path: [test, '^test/'] },
    },
    {
      name: 'declared-packages',
      comment:
        'What is published imports what package.json lists under dependencies, or as a package that a part needs; the page is bundled.',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: [test, '^src/tape/viewer/page/'] },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['type-only', 'npm-peer'],
      },
    },
    {
      name: 'resolvable',
      comment: 'The page has its own tsconfig.json, and TypeScript finds there what does not exist.',
      severity: 'error',
      from: { pathNot: '^src/tape/viewer/page/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};

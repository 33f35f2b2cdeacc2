// Which part of the project may import which: the picture of docs/architecture.md as rules. Tests are free.

/** What each part imports, in addition to itself and packages; docs/architecture.md has it as a table. */
export const layers = {
  'src/base/random': [],
  'src/base/clock': [],
  'src/base/input': [],
  'src/base/markup': [],
  'src/base/certificates': [],
  'src/base/grpc-health': [],
  'src/base/network': ['src/base/clock', 'src/base/input'],
  'src/cri': ['src/base/random', 'src/base/clock'],
  'src/runtime/ttrpc': ['src/base/clock', 'src/cri', 'src/base/input'],
  'src/runtime/cdi': ['src/base/input'],
  'src/runtime/nri': [
    'src/runtime/cdi',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/runtime/ttrpc',
    'src/runtime/engine/backend',
    'src/runtime/faults/plugin-faults',
  ],
  'src/tape': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input'],
  'src/tape/judge': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input', 'src/kubelet/kubernetes', 'src/tape'],
  'src/tape/viewer': ['src/base/input', 'src/tape'],
  'src/suite/replay': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input', 'src/tape', 'src/suite/diff'],
  'src/base/host': ['src/base/input'],
  'src/linux': ['src/base/random', 'src/base/clock', 'src/base/input', 'src/base/host', 'src/base/grpc-health'],
  'src/runtime/engine': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input'],
  'src/runtime/faults': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input'],
  'src/runtime/streaming': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input', 'src/runtime/engine/(backend|streaming)'],
  'src/runtime/server': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input', 'src/runtime/faults', 'src/base/grpc-health'],
  'src/runtime/profiles': [
    'src/base/random',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/runtime/engine/(rules|backend|events/event-options)',
    'src/runtime/nri/rules',
  ],
  'src/runtime/assembly': [
    'src/runtime/profiles',
    'src/base/random',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/tape',
    'src/runtime/engine',
    'src/runtime/faults',
    'src/tape/judge',
    'src/runtime/server',
    'src/runtime/cdi',
    'src/runtime/nri',
    'src/runtime/ttrpc',
  ],
  'src/runtime/control': [
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/runtime/engine',
    'src/runtime/faults',
    'src/tape/judge',
    'src/runtime/server',
    'src/tape',
    'src/tape/viewer',
    'src/runtime/assembly',
  ],
  'src/kubelet/kubernetes': ['src/base/input'],
  'src/kubelet/api-server': ['src/base/clock', 'src/base/input', 'src/kubelet/kubernetes'],
  'src/kubelet': [
    'src/base/random',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/kubelet/kubernetes',
    'src/base/host',
    'src/base/network',
  ],
  'src/kubelet/hosts': [
    'src/base/random',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/tape',
    'src/kubelet',
    'src/kubelet/kubernetes',
    'src/kubelet/api-server',
    'src/base/certificates',
  ],
  'src/suite/conformance': [
    'src/base/random',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/base/markup',
    'src/tape',
    'src/runtime/streaming/spdy',
    'src/suite/deviations',
  ],
  'src/suite/diff': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input', 'src/suite/conformance'],
  'src/suite/load': [
    'src/base/random',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/tape',
    'src/tape/judge',
    'src/suite/deviations',
    'src/suite/conformance',
    'src/suite/diff',
  ],
  'adapters/memory': [
    'src/base/random',
    'src/base/clock',
    'src/cri',
    'src/base/input',
    'src/base/host',
    'src/base/network',
    'src/linux',
    'src/base/certificates',
    'src/kubelet/kubernetes',
    'src/runtime/engine/backend',
  ],
  'adapters/docker': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input', 'src/base/host', 'src/runtime/engine/backend'],
  'adapters/remote': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input'],
  'adapters/tape': ['src/base/random', 'src/base/clock', 'src/cri', 'src/base/input', 'src/tape'],
  'src/cluster': [
    'src/(?!cli/|testing/|explore/|reproduce/|scenario/|conformance/|replay/)',
    'adapters/memory',
  ],
  'src/lab/scenario': ['src/(?!cli/|testing/|explore/|reproduce/|cluster/)', 'adapters/memory'],
  'src/lab/explore': ['src/(?!cli/|testing/|reproduce/|control/|streaming/|cluster/)', 'adapters/memory'],
  'src/lab/reproduce': ['src/(?!cli/|testing/|control/|streaming/|cluster/)', 'adapters/memory'],
  'src/testing': ['src/(?!cli/|scenario/|explore/|reproduce/|cluster/)', 'adapters'],
  'src/cli': ['src', 'adapters'],
};

/** What each folder of the kubelet imports of the others: no circles. All import its types and the files next to them. */
const kubeletFolders = {
  admission: ['resources'],
  backoff: [],
  client: ['disk'],
  config: [],
  'cri-configs': ['client', 'disk', 'resources'],
  decisions: ['resources'],
  disk: [],
  events: [],
  http: ['metrics'],
  images: ['backoff', 'client', 'cri-configs'],
  metrics: ['pleg'],
  node: [],
  pleg: ['client', 'disk'],
  pods: [],
  probes: ['client', 'cri-configs', 'decisions', 'runtime', 'status'],
  resize: ['admission', 'decisions', 'resources', 'status'],
  resources: [],
  runtime: ['backoff', 'client', 'cri-configs', 'decisions', 'disk', 'resources'],
  status: ['client', 'decisions', 'resources'],
  sync: ['admission', 'client', 'decisions', 'pleg', 'resize', 'runtime', 'status'],
};

/** Packages that one part of the project wraps for the others. */
const wrapped = {
  dockerode: 'adapters/docker',
  commander: 'src/cli',
  ws: 'src/runtime/streaming|src/suite/conformance/streams|adapters/docker',
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

const layerRules = Object.entries(layers).map(([layer, below]) => ({
  name: `layer-${layer.replace('/', '-')}`,
  comment: `${layer} imports only ${[...below, 'packages'].join(', ')}.`,
  severity: 'error',
  from: { path: `^${layer}/`, pathNot: test },
  to: {
    path: '^(src|adapters|test)/',
    pathNot: [layer, ...below].map((path) => `^${path}${path.endsWith(')') ? '' : '[/.]'}`),
  },
}));

const kubeletRules = Object.entries(kubeletFolders).map(([folder, below]) => ({
  name: `kubelet-${folder}`,
  comment: `src/kubelet/${folder} imports only ${[...below, 'types'].join(', ')} of the kubelet.`,
  severity: 'error',
  from: { path: `^src/kubelet/${folder}/`, pathNot: test },
  to: {
    path: '^src/kubelet/[^/]+/',
    pathNot: `^src/kubelet/(${[folder, ...below, 'types'].join('|')})/`,
  },
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
      name: 'every-part-has-a-layer',
      comment: 'A new directory gets a line in the table above.',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: Object.keys(layers).map((layer) => `^${layer}/`) },
      to: {},
    },
    ...layerRules,
    ...kubeletRules,
    {
      name: 'only-node-makes-a-kubelet',
      comment: 'Whoever runs a kubelet asks src/kubelet/hosts for it, and for its settings.',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: [test, '^src/(kubelet|node)/'] },
      to: { path: '^src/kubelet/(kubelet|config/(profile|kubelet-configuration))[.]ts$' },
    },
    ...packageRules,
    {
      name: 'network',
      comment: 'What is simulated connects and listens through src/base/network, which knows what is real.',
      severity: 'error',
      from: {
        path: '^(src/linux|src/kubelet|adapters/memory)/',
        // They reserve addresses, and tell addresses from other text.
        pathNot: [test, '^adapters/memory/pods/addresses[.]ts$', '^src/kubelet/client/pod-status[.]ts$'],
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

/**
 * edit.ts SUITE DIRECTORY: replaces, in the unpacked module of an operator, what its tests write into the statuses of pods by
 * the calls of clients/go/envnode that let the pods run. An edit that finds nothing fails: versions are pinned.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Edit {
  readonly files: readonly string[];
  readonly from: RegExp;
  readonly to: string;
}

const importAfter = (file: string, line: string): Edit => ({
  files: [file],
  from: new RegExp(`^\\t"${line}"\\n`, 'm'),
  to: '$&\t"mockri.dev/clients/go/envnode"\n',
});

const rayTests = ['raycluster_controller_test.go', 'suite_helpers_test.go'].map((name) => `controllers/ray/${name}`);

/** KubeRay's specs decide when each pod starts, so they bind the pods themselves. */
const kuberay: readonly Edit[] = [
  importAfter('controllers/ray/suite_test.go', 'sigs.k8s.io/controller-runtime/pkg/envtest'),
  {
    files: ['controllers/ray/suite_test.go'],
    from: /^\tExpect\(cfg\)\.ToNot\(BeNil\(\)\)\n/m,
    to: '$&\tnodes = envnode.Start(GinkgoT(), cfg, envnode.NoBinding(), envnode.Fast(20), envnode.Args("--capacity", "cpu=1000,memory=4000Gi,pods=1000"))\n',
  },
  {
    files: ['controllers/ray/suite_test.go'],
    from: /^func TestAPIs/m,
    to: [
      'var nodes *envnode.Kubelets',
      '',
      'func run(pod *corev1.Pod) {',
      '\tnodes.Node("mock-0").Bind(pod.Namespace + "/" + pod.Name)',
      '\t*pod = *nodes.WaitForRunning(pod.Namespace + "/" + pod.Name)',
      '}',
      '',
      '$&',
    ].join('\n'),
  },
  {
    files: rayTests,
    from: /(\w+)\.Status\.Phase = corev1\.PodRunning\n(?:.*PodIP.*\n)?(?:\s*\1\.Status\.Conditions = \[\]corev1\.PodCondition\{[^=]*?\n\t+\}\n)?\s*(?:Expect\(k8sClient\.Status\(\)\.Update\(ctx, &\1\)\)\.Should\(Succeed\(\)\)|err := k8sClient\.Status\(\)\.Update\(ctx, &\1\)\n.*Expect\(err\).*)/g,
    to: 'run(&$1)',
  },
  {
    files: ['controllers/ray/raycluster_controller_test.go'],
    from: /(\w+)\.Status\.Conditions = \[\]corev1\.PodCondition\{[^=]*?corev1\.ConditionFalse,[^=]*?\n\t+\}\n\s*Expect\(k8sClient\.Status\(\)\.Update\(ctx, &\1\)\)\.Should\(Succeed\(\)\)/g,
    to: 'nodes.Pods(envnode.Name($1.Name)).NeverReady()',
  },
  importAfter('controllers/ray/raycluster_controller_test.go', 'sigs.k8s.io/controller-runtime/pkg/client'),
  // The address that the fake had given.
  {
    files: ['controllers/ray/raycluster_controller_test.go'],
    from: /Equal\("1\.1\.1\.1"\)/g,
    to: 'Equal(nodes.WaitForRunning(namespace + "/" + headPods.Items[0].Name).Status.PodIP)',
  },
];

/** The pods of the PyTorchJobs start as in a cluster. */
const pytorch = ['suite_test', 'test'].map((name) => `pkg/controller.v1/pytorch/pytorchjob_controller_${name}.go`);
const [pytorchSuite = '', pytorchTest = ''] = pytorch;
const statusUpdate = (phase: string): RegExp =>
  new RegExp(
    String.raw`Eventually\(func\(\) error \{\n\s*Expect\(testK8sClient\.Get\(ctx, (\w+), (\w+)\)\)\.Should\(Succeed\(\)\)\n\s*\2\.Status\.Phase = corev1\.${phase}\n\s*return testK8sClient\.Status\(\)\.Update\(ctx, \2\)\n\s*\}, testutil\.Timeout, testutil\.Interval\)\.Should\(Succeed\(\)\)`,
    'g',
  );
const trainingOperator: readonly Edit[] = [
  importAfter(pytorchSuite, 'sigs.k8s.io/controller-runtime/pkg/envtest'),
  { files: [pytorchSuite], from: /^func TestAPIs/m, to: 'var nodes *envnode.Kubelets\n\n$&' },
  {
    files: [pytorchSuite],
    from: /^\tExpect\(cfg\)\.NotTo\(BeNil\(\)\)\n/m,
    to: '$&\tnodes = envnode.Start(GinkgoT(), cfg, envnode.Collect())\n',
  },
  { files: [pytorchTest], from: statusUpdate('PodRunning'), to: 'nodes.WaitForRunning($1.String())' },
  {
    files: [pytorchTest],
    from: statusUpdate('PodSucceeded'),
    to: 'nodes.WaitForRunning($1.String())\n\t\t\tnodes.Container($1.String(), kubeflowv1.PyTorchJobDefaultContainerName).Exit(0)',
  },
];

const mpiTest = 'test/integration/mpi_job_controller_test.go';
const mpiMain = 'test/integration/main_test.go';
const bodyOf = (name: string): RegExp => new RegExp(String.raw`(^func ${name}\(.*\n)[\s\S]*?^\}`, 'm');
/** The tests of the MPI operator, too, decide when each pod starts. */
const mpiOperator: readonly Edit[] = [
  importAfter(mpiMain, 'k8s.io/client-go/rest'),
  importAfter(mpiTest, 'k8s.io/client-go/kubernetes'),
  { files: [mpiMain], from: /^\trestConfig \*rest\.Config\n/m, to: '$&\tnodes *envnode.Kubelets\n\tnotReady *envnode.Rule\n' },
  {
    files: [mpiMain],
    from: /^\tcode := m\.Run\(\)\n/m,
    to: '\tif nodes, err = envnode.New(restConfig, envnode.NoBinding(), envnode.Collect()); err != nil {\n\t\tpanic(err)\n\t}\n$&\tnodes.Stop()\n',
  },
  {
    files: [mpiTest],
    from: bodyOf('updatePodsToPhase'),
    to: [
      '$1\tfor i, p := range pods {',
      '\t\tname := p.Namespace + "/" + p.Name',
      '\t\tif phase == corev1.PodRunning {',
      '\t\t\tnodes.Node("mock-0").Bind(name)',
      '\t\t} else {',
      '\t\t\tnodes.Container(name, "main").Exit(1)',
      '\t\t}',
      '\t\tpods[i] = *nodes.WaitForPhase(name, phase)',
      '\t}',
      '\treturn nil',
      '}',
    ].join('\n'),
  },
  { files: [mpiTest], from: bodyOf('updatePodsCondition'), to: '$1\tnotReady.Remove()\n\treturn nil\n}' },
  {
    files: [mpiTest],
    from: /(func TestMPIJobWaitWorkers[\s\S]*?newTestSetup\(ctx, t\)\n)/,
    to: '$1\tnotReady = nodes.Pods(envnode.Namespace(s.namespace)).NeverReady()\n',
  },
];

const suites: Readonly<Record<string, readonly Edit[]>> = {
  kuberay,
  'training-operator': trainingOperator,
  'mpi-operator': mpiOperator,
};

const [suite = '', directory = ''] = process.argv.slice(2);
const edits = suites[suite];
assert.ok(edits, `there is no suite "${suite}": use ${Object.keys(suites).join(', ')}`);
let replaced = 0;
for (const { files, from, to } of edits) {
  for (const file of files) {
    const path = join(directory, file);
    const text = readFileSync(path, 'utf8');
    const found = text.match(from.global ? from : new RegExp(from, `${from.flags}g`))?.length ?? 0;
    assert.ok(found > 0, `${file}: nothing matches ${from}`);
    replaced += found;
    writeFileSync(path, text.replace(from, to));
  }
}
console.log(replaced);

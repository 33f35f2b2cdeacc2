/**
 * edit.ts SUITE DIRECTORY: in the unpacked module of an operator, replaces what its tests write into the statuses of pods by
 * calls of SUITE/nodes_test.go, which let the pods run. Prints how many places that were. An edit that finds nothing fails:
 * versions are pinned.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Edit {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

const source = String.raw;
const expression = (text: string, flags = 'g') => new RegExp(text, flags);

const ray = 'controllers/ray';
/** `POD.Status.Phase = Running`, perhaps with an address and conditions, up to the update of the status. */
const rayRuns = expression(
  source`(\w+)\.Status\.Phase = corev1\.PodRunning\n(?:.*PodIP.*\n)?(?:\s*\1\.Status\.Conditions = \[\]corev1\.PodCondition\{[^=]*?\n\t+\}\n)?\s*` +
    source`(?:Expect\(k8sClient\.Status\(\)\.Update\(ctx, &\1\)\)\.Should\(Succeed\(\)\)|err := k8sClient\.Status\(\)\.Update\(ctx, &\1\)\n.*Expect\(err\).*)`,
);
const kuberay: readonly Edit[] = [
  {
    file: `${ray}/suite_test.go`,
    from: /^\tExpect\(cfg\)\.ToNot\(BeNil\(\)\)\n/gm,
    to: '$&\tstartNodes(testEnv)\n',
  },
  {
    file: `${ray}/rayjob_controller_test.go`,
    from: expression(
      source`conditions := \[\]batchv1\.JobCondition\{\n.*JobComplete.*\n\s*\}\n\s*job\.Status\.Conditions = conditions\n` +
        source`\s*Expect\(k8sClient\.Status\(\)\.Update\(ctx, job\)\)\.Should\(Succeed\(\)\)`,
    ),
    to: 'complete(ctx, job)',
  },
  { file: `${ray}/raycluster_controller_test.go`, from: rayRuns, to: 'run(&$1)' },
  { file: `${ray}/suite_helpers_test.go`, from: rayRuns, to: 'run(&$1)' },
  {
    file: `${ray}/raycluster_controller_test.go`,
    from: expression(
      source`(\w+)\.Status\.Conditions = \[\]corev1\.PodCondition\{[^=]*?corev1\.ConditionFalse,[^=]*?\n\t+\}\n` +
        source`\s*Expect\(k8sClient\.Status\(\)\.Update\(ctx, &\1\)\)\.Should\(Succeed\(\)\)`,
    ),
    to: 'nodes.Pods(envnode.Name($1.Name)).NeverReady()',
  },
  // The address that was written.
  {
    file: `${ray}/raycluster_controller_test.go`,
    from: /Equal\("1\.1\.1\.1"\)/g,
    to: 'Equal(nodes.WaitForRunning(namespace + "/" + headPods.Items[0].Name).Status.PodIP)',
  },
  {
    file: `${ray}/raycluster_controller_test.go`,
    from: /^\t"sigs.k8s.io\/controller-runtime\/pkg\/client"\n/gm,
    to: '\t"mockri.dev/clients/go/envnode"\n$&',
  },
];

const pytorch = 'pkg/controller.v1/pytorch';
const updatesPhase = (phase: string): RegExp =>
  expression(
    source`Eventually\(func\(\) error \{\n\s*Expect\(testK8sClient\.Get\(ctx, (\w+), (\w+)\)\)\.Should\(Succeed\(\)\)\n` +
      source`\s*\2\.Status\.Phase = corev1\.${phase}\n\s*return testK8sClient\.Status\(\)\.Update\(ctx, \2\)\n` +
      source`\s*\}, testutil\.Timeout, testutil\.Interval\)\.Should\(Succeed\(\)\)`,
  );
const trainingOperator: readonly Edit[] = [
  {
    file: `${pytorch}/pytorchjob_controller_suite_test.go`,
    from: /^\tExpect\(cfg\)\.NotTo\(BeNil\(\)\)\n/gm,
    to: '$&\tstartNodes(GinkgoT(), cfg)\n',
  },
  // Without a number of tries, the init container of a worker exits with 1 before it has looked for the master.
  {
    file: `${pytorch}/pytorchjob_controller_suite_test.go`,
    from: /^\tconfig\.Config\.PyTorchInitContainerImage = .*\n/gm,
    to: '$&\tconfig.Config.PyTorchInitContainerMaxTries = config.PyTorchInitContainerMaxTriesDefault\n',
  },
  { file: `${pytorch}/pytorchjob_controller_test.go`, from: updatesPhase('PodRunning'), to: 'running($1)' },
  {
    file: `${pytorch}/pytorchjob_controller_test.go`,
    from: updatesPhase('PodSucceeded'),
    to: 'succeeded($1)',
  },
];

const mpi = 'test/integration';
const mpiTest = `${mpi}/mpi_job_controller_test.go`;
const bodyOf = (name: string) => expression(source`(^func ${name}\(.*\n)[\s\S]*?^\}`, 'gm');
const block = source`.*\n\tif err != nil \{\n.*\n\t\}\n`;
const mpiOperator: readonly Edit[] = [
  {
    file: `${mpi}/main_test.go`,
    from: /^\tcode := m\.Run\(\)\n/gm,
    to: '\tstop := startNodes(env)\n$&\tstop()\n',
  },
  { file: mpiTest, from: bodyOf('updatePodsToPhase'), to: '$1\treturn come(pods, phase)\n}' },
  { file: mpiTest, from: bodyOf('updatePodsCondition'), to: '$1\tnotReady.Remove()\n\treturn nil\n}' },
  { file: mpiTest, from: bodyOf('createPodForJob'), to: '$1\treturn pendingPodOf(ctx, client, job)\n}' },
  {
    file: mpiTest,
    from: /func TestMPIJobWaitWorkers[\s\S]*?newTestSetup\(ctx, t\)\n/g,
    to: '$&\tnotReady = nodes.Pods(envnode.Namespace(s.namespace)).NeverReady()\n',
  },
  {
    file: mpiTest,
    from: /^\t"k8s.io\/client-go\/kubernetes"\n/gm,
    to: '$&\t"mockri.dev/clients/go/envnode"\n',
  },
  // The statuses of the Job are its controller's.
  {
    file: mpiTest,
    from: expression(
      source`\tlauncherJob\.Status\.Conditions = append\(launcherJob\.Status\.Conditions, batchv1\.JobCondition\{\n\t\tType:   batchv1\.JobComplete,[\s\S]*?UpdateStatus` +
        block,
    ),
    to: '\texit(launcherPod, 0)\n',
  },
  {
    file: mpiTest,
    from: expression(source`\tlauncherJob\.Status\.Failed = 1\n.*UpdateStatus${block}`),
    to: '',
  },
  // A Job that is suspended deletes its pods.
  {
    file: mpiTest,
    from: expression(source`\terr = s\.kClient\.CoreV1\(\)\.Pods\(launcherPod\.Namespace\)\.Delete${block}`),
    to: '',
  },
  {
    file: mpiTest,
    from: expression(
      source`\tlauncherJob\.Status\.Conditions = append\(launcherJob\.Status\.Conditions, batchv1\.JobCondition\{\n\t\tType:   batchv1\.JobFailed,[\s\S]*?UpdateStatus` +
        block,
    ),
    to: [
      '\tlauncherPod, err = createPodForJob(ctx, s.kClient, launcherJob)',
      '\tif err != nil {',
      '\t\tt.Fatal(err)',
      '\t}',
      '\tif err = updatePodsToPhase(ctx, s.kClient, []corev1.Pod{*launcherPod}, corev1.PodRunning); err != nil {',
      '\t\tt.Fatal(err)',
      '\t}',
      '\texit(launcherPod, 1)',
      '',
    ].join('\n'),
  },
  // The pod of a launcher that is restarted in place, as by default, never fails; and the Job may fail twice.
  {
    file: mpiTest,
    from: /(func TestMPIJobFailure[\s\S]*?CleanPodPolicyRunning\),\n)([\s\S]*?MPIReplicaTypeLauncher: \{\n)/g,
    to: '$1BackoffLimit: ptr.To[int32](1),\n$2RestartPolicy: kubeflow.RestartPolicyNever,\n',
  },
];

const suites: Readonly<Record<string, { readonly directory: string; readonly edits: readonly Edit[] }>> = {
  kuberay: { directory: ray, edits: kuberay },
  'training-operator': { directory: pytorch, edits: trainingOperator },
  'mpi-operator': { directory: mpi, edits: mpiOperator },
};

const [suite = '', root = ''] = process.argv.slice(2);
const { directory, edits } =
  suites[suite] ?? assert.fail(`no suite "${suite}": use ${Object.keys(suites).join(', ')}`);
const own = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const nodes = own(`${suite}/nodes_test.go`);
writeFileSync(join(root, directory, 'nodes_test.go'), nodes);
if (nodes.includes('startJobController')) {
  const [clause = ''] = nodes.split('\n');
  writeFileSync(
    join(root, directory, 'job_controller_test.go'),
    own('job_controller_test.go').replace('package operators', clause),
  );
}
let places = 0;
for (const { file, from, to } of edits) {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const found = text.match(from)?.length ?? 0;
  assert.ok(found > 0, `${file}: nothing matches ${from}`);
  places += found;
  writeFileSync(path, text.replace(from, to));
}
console.log(places);

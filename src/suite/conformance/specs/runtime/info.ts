import { UserError } from '../../../../base/input/user-error.js';
import { Code } from '../../../../cri/status-code.js';
import type { Checks } from '../../check.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { restart } from '../steps/restart.js';

export const infoChecks: Checks = {
  async 'INV-50.constant'({ cri }) {
    const version = await cri.version({ version: '' });
    const { runtimeHandlers } = await cri.status({ verbose: false });
    const config = await cri.runtimeConfig({}).catch((error: { code?: number }) => {
      if (error.code !== Code.UNIMPLEMENTED) throw error;
      return undefined;
    });
    for (let round = 0; round < 3; round++) {
      mustEqual(await cri.version({ version: 'anything' }), version, 'Version');
      mustEqual((await cri.status({ verbose: false })).runtimeHandlers, runtimeHandlers, 'runtime_handlers');
      if (config) mustEqual(await cri.runtimeConfig({}), config, 'RuntimeConfig');
    }
  },
  async 'INV-50.version'({ cri }) {
    const reply = await cri.version({ version: '' });
    for (const [field, value] of Object.entries(reply)) must(value !== '', `${field} to be set`, reply);
  },
  async 'INV-50.handlers'(t) {
    const { runtimeHandlers } = await t.cri.status({ verbose: false });
    const names = runtimeHandlers.map((handler) => handler.name);
    mustEqual(names.length, new Set(names).size, 'the number of distinct handler names');
    const { id } = await t.sandbox();
    mustEqual(
      (await t.sandboxStatus(id)).runtimeHandler,
      '',
      'the runtime_handler of a sandbox with the default handler',
    );
    const config = t.sandboxConfig();
    const unknown = t.cri.runPodSandbox({ config, runtimeHandler: 'no-such-handler' });
    await mustFail(unknown, 'a sandbox with an unknown runtime handler');
  },
  async 'INV-51.conditions'({ cri }) {
    const { status } = await cri.status({ verbose: false });
    const conditions = status?.conditions ?? [];
    for (const type of ['RuntimeReady', 'NetworkReady']) {
      const condition = conditions.find((candidate) => candidate.type === type);
      must(condition !== undefined, `a condition ${type}`, conditions);
      must(
        condition.status || (condition.reason !== '' && condition.message !== ''),
        `a reason and a message for ${type} = false`,
        condition,
      );
    }
  },
  async 'INV-52.empty-config'({ cri }) {
    const before = await cri.status({ verbose: false });
    await mustWork(
      cri.updateRuntimeConfig({ runtimeConfig: {} }),
      'UpdateRuntimeConfig with an empty runtime_config',
    );
    await mustWork(
      cri.updateRuntimeConfig({ runtimeConfig: undefined }),
      'UpdateRuntimeConfig without runtime_config',
    );
    mustEqual((await cri.status({ verbose: false })).status, before.status, 'Status afterwards');
  },
  async 'INV-53.restart'(t) {
    const sandbox = await t.sandbox();
    const name = t.name('ctr');
    const id = await t.start(sandbox, { name });
    const before = await t.status(id);
    await restart(t);
    const after = await t.status(id);
    mustEqual(
      [after.id, after.createdAt, after.startedAt],
      [before.id, before.createdAt, before.startedAt],
      'id and times',
    );
    must(after.state !== 0, 'a state other than CREATED', after);
    await mustFail(t.create(sandbox, { name }), 'a second container of the same name and attempt');
  },
  async 'INV-54.no-fault-left'(t) {
    const control = t.options.control as string;
    const headers = { 'content-type': 'application/json' };
    const rule = {
      name: t.name('rule'),
      match: { method: 'Version' },
      then: { error: { code: 'DATA_LOSS', message: 'on purpose' } },
    };
    const added = await reach(`${control}/v1/faults`, {
      method: 'POST',
      headers,
      body: JSON.stringify(rule),
    });
    must(added.ok, 'the fault rule to be accepted', `${added.status} ${await added.text()}`);
    const failure = await mustFail(t.cri.version({ version: '' }), 'Version', [Code.DATA_LOSS]);
    mustEqual(failure.details, 'on purpose', 'the text of the injected error');
    await reach(`${control}/v1/faults/${rule.name}`, { method: 'DELETE' });
    await mustWork(t.cri.version({ version: '' }), 'Version after the removal of the rule');
  },
};

/** Requests the control API. Rejects with UserError if it doesn't respond. */
function reach(url: string, request: RequestInit): Promise<Response> {
  return fetch(url, request).catch(({ cause }: { readonly cause?: { readonly code?: string } }) => {
    throw new UserError(`--control: no answer from ${url} (${cause?.code ?? 'no connection'})`);
  });
}

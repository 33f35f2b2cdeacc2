import { NamespaceMode, SupplementalGroupsPolicy } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual, mustFail } from '../../expect.js';
import { output } from '../steps/look-inside.js';
import { podWithNamespaces, withSecurity } from '../steps/security.js';

const USER = { runAsUser: { value: 1234n }, runAsGroup: { value: 2345n } };
const GROUPS = [3456n, 4567n];

const numbers = (text: string): bigint[] => text.trim().split(/\s+/).map(BigInt).sort();

/** Prints the groups that /etc/group of the image has root in. */
const ROOTS_GROUPS = "grep -E '[:,]root(,|$)' /etc/group | cut -d: -f3";

async function idsIn(t: CheckContext, containerId: string) {
  const [uid = '', gid = '', groups = ''] = (await output(t, containerId, 'id -u; id -g; id -G')).split('\n');
  return { uid: BigInt(uid), gid: BigInt(gid), groups: numbers(groups) };
}

/** Ids that the machine does not use. */
const range = { hostId: 1_000_000, containerId: 0, length: 65_536 };

const userns = (mode: NamespaceMode, ids: readonly (typeof range)[]) => ({
  usernsOptions: { mode, uids: [...ids], gids: [...ids] },
});

export const identityChecks: Checks = {
  async 'INV-65.user'(t) {
    const groups = { ...USER, supplementalGroups: GROUPS };
    const containerId = await t.start(await t.sandbox(), withSecurity(groups));
    const inside = await idsIn(t, containerId);
    mustEqual([inside.uid, inside.gid], [1234n, 2345n], 'uid and gid inside');
    mustEqual(inside.groups, [2345n, ...GROUPS].sort(), 'the groups inside');
    const { user } = await t.status(containerId);
    if (user?.linux === undefined) return;
    mustEqual([user.linux.uid, user.linux.gid], [1234n, 2345n], 'uid and gid in the status');
    const told = [...new Set([2345n, ...user.linux.supplementalGroups])].sort();
    mustEqual(told, [2345n, ...GROUPS].sort(), 'the groups in the status');
  },
  async 'INV-65.strict-groups'(t) {
    const sandbox = await t.sandbox();
    const groupsWith = async (supplementalGroupsPolicy: SupplementalGroupsPolicy) => {
      const context = { runAsUser: { value: 0n }, supplementalGroups: GROUPS, supplementalGroupsPolicy };
      return (await idsIn(t, await t.start(sandbox, withSecurity(context)))).groups;
    };
    const strict = await groupsWith(SupplementalGroupsPolicy.Strict);
    mustEqual(strict, [0n, ...GROUPS].sort(), 'the groups with Strict');
    const merged = await groupsWith(SupplementalGroupsPolicy.Merge);
    const ofImage = await output(t, await t.start(sandbox), ROOTS_GROUPS);
    const expected = [...strict, ...ofImage.trim().split('\n').filter(Boolean).map(BigInt)];
    must(
      expected.every((group) => merged.includes(group)),
      `at least the groups ${expected.join(' ')} with Merge`,
      merged.join(' '),
    );
  },
  async 'INV-65.unknown-user'(t) {
    const config = withSecurity({ runAsUsername: 'no-such-user' });
    await mustFail(t.start(await t.sandbox(), config), 'a container with an unknown run_as_username');
  },
  async 'INV-65.user-namespace'(t) {
    const namespaces = userns(NamespaceMode.POD, [range]);
    const sandbox = await podWithNamespaces(t, namespaces);
    const containerId = await t.start(sandbox, withSecurity({ namespaceOptions: namespaces }));
    for (const file of ['uid_map', 'gid_map']) {
      const map = numbers(await output(t, containerId, `cat /proc/self/${file}`));
      mustEqual(map, [0n, 1_000_000n, 65_536n].sort(), `the numbers in /proc/self/${file}`);
    }
    const options = (await t.sandboxStatus(sandbox.id)).linux?.namespaces?.options;
    mustEqual(options?.usernsOptions?.mode, NamespaceMode.POD, 'the mode in the status of the sandbox');
  },
  async 'INV-65.no-user-namespace'(t) {
    const wrong: readonly [string, object][] = [
      ['in mode CONTAINER', userns(NamespaceMode.CONTAINER, [range])],
      ['in mode TARGET', userns(NamespaceMode.TARGET, [range])],
      ['without a range', userns(NamespaceMode.POD, [])],
    ];
    for (const [what, options] of wrong)
      await mustFail(podWithNamespaces(t, options), `a user namespace ${what}`);
  },
};

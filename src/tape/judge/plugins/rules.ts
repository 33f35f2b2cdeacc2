export const pluginRules = {
  'NRI-01': { side: 'runtime', title: 'A plugin sees each container that there is while it is connected.' },
  'NRI-02': { side: 'runtime', title: 'A plugin sees each container once.' },
  'NRI-03': { side: 'runtime', title: 'Requests about a container come in the order of its lifecycle.' },
  'NRI-04': { side: 'plugin', title: 'A plugin updates no container that it knows to be gone.' },
  'NRI-05': { side: 'plugin', title: 'A plugin answers in time, with messages of the protocol.' },
} as const;

/** For example `NRI-01`. */
export type PluginRule = keyof typeof pluginRules;

export const isPluginRule = (rule: string): rule is PluginRule => Object.hasOwn(pluginRules, rule);

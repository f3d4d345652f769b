import { agentVersions } from '@oms/contract/agent/agents/agent-version.ts'
import { agents } from '@oms/contract/agent/agents/agent.ts'
import { tryOut } from '@oms/contract/agent/agents/try-out.ts'
import { wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { agentContacts } from '@oms/contract/agent/devices/contact.ts'
import { agentDeviceTools } from '@oms/contract/agent/devices/device-tool.ts'
import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { agentReminders } from '@oms/contract/agent/history/reminder.ts'
import { agentModels } from '@oms/contract/agent/models/config.ts'
import { agentProviders } from '@oms/contract/agent/models/provider.ts'
import { agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { agentIncome } from '@oms/contract/agent/orders/order-income.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { agentProducts } from '@oms/contract/agent/packages/product.ts'
import { agentParams } from '@oms/contract/agent/parameters/params.ts'
import { agentTemplates } from '@oms/contract/agent/templates/template.ts'
import { agentUsage } from '@oms/contract/agent/usage/usage.ts'
import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import { agentVoices } from '@oms/contract/agent/voices/voice.ts'
import { implement, type Module } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import { listAgentFormOptions, listDevices, listVoiceChoices } from './agents/agent-form-options.ts'
import { createAgent, disableAgent, enableAgent, removeAgent, updateAgent } from './agents/agent-save.ts'
import { readAccessPoint, exportAgents, getAgent, listAgents } from './agents/agent.ts'
import { askAgent } from './agents/try-out.ts'
import { diffVersions, listAgentVersions, restoreVersion, setVersionNote } from './agents/version.ts'
import { createWords, getWords, listWords, removeWords, updateWords } from './agents/word-file.ts'
import {
  getContactFeature,
  listContactTargetOptions,
  createContact,
  getContact,
  listContacts,
  removeContact,
  updateContact,
} from './devices/contact.ts'
import {
  bindByCode,
  bindByMac,
  moveDevices,
  resetIdentity,
  unbindDevices,
  updateBinding,
} from './devices/device-bind.ts'
import { diagnose } from './devices/device-diagnosis.ts'
import { callDeviceTool, listDeviceTools, getToolFeature } from './devices/device-tool.ts'
import { importBindings, exportBindings } from './devices/device-transfer.ts'
import { listConnections, listAgentOptions, getBinding, listBindings, getOtaAddress } from './devices/device.ts'
import { registerErasure, registerHistoryRetention } from './history/history-retention.ts'
import {
  exportHistory,
  searchHistory,
  sendTurnAudio,
  eraseSession,
  openSession,
  listSessions,
} from './history/history.ts'
import { getMemory, saveMemory } from './history/memory.ts'
import { listReminders, removeReminder } from './history/reminder.ts'
import { registerSessionWork } from './history/session-work.ts'
import {
  copyModel,
  createModel,
  disableModel,
  enableModel,
  removeModel,
  revealModelSecret,
  setDefaultModel,
  updateModel,
} from './models/model-save.ts'
import { testModel } from './models/model-test.ts'
import { getModel, listModels, listModelOptions } from './models/model.ts'
import { createProvider, getProvider, listProviders, removeProvider, updateProvider } from './models/provider.ts'
import { registerGrantSchedule, registerGrantWarnings } from './orders/grant-clock.ts'
import { exportGrants, exportLedger, listGrants, listLedger } from './orders/grant.ts'
import { exportIncome, listIncome } from './orders/income.ts'
import { confirmOrder } from './orders/order-confirm.ts'
import { reviewRefund, closeOrder, requestRefund } from './orders/order-refund.ts'
import { createOrder, createGiftOrder, previewOrder, editOrder } from './orders/order-save.ts'
import { listOrderAgents, listOrderDevices, listOrderGroups, listOrderPackages } from './orders/order-targets.ts'
import { exportOrders, getOrder, listOrders, listTargets } from './orders/order.ts'
import {
  endPreviousSecret,
  getParameters,
  renewSecret,
  resetParameter,
  revealParameter,
  updateParameters,
} from './parameter.ts'
import {
  exportProducts,
  getVoicePackage,
  listProducts,
  listProductVersions,
  createProduct,
  disableProduct,
  enableProduct,
  removeProduct,
  updateProduct,
} from './product.ts'
import {
  getTemplate,
  listAgentTemplates,
  previewTemplate,
  createTemplate,
  disableTemplate,
  enableTemplate,
  makeTemplate,
  removeTemplate,
  updateTemplate,
} from './template.ts'
import { registerUsageMerge, registerUsageRetention } from './usage/usage-merge.ts'
import { listUsageByDay, exportUsage, listUsage } from './usage/usage.ts'
import { sendAction, checkServerReachable, listServers } from './voice-servers/server-actions.ts'
import { registerVoiceprintRemoval } from './voiceprint-service.ts'
import {
  createVoiceprint,
  removeVoiceprint,
  updateVoiceprint,
  getVoiceprint,
  listTurns,
  listVoiceprints,
  sendAudio,
  getServiceState,
  testFile,
  testTurn,
} from './voiceprint.ts'
import { registerCloneTraining } from './voices/voice-clone-training.ts'
import {
  getClone,
  getCloneFeature,
  listCloneModels,
  listClones,
  createClone,
  removeClone,
  renameClone,
  retryClone,
} from './voices/voice-clone.ts'
import {
  exportVoices,
  getVoice,
  listVoices,
  listVoiceUses,
  createVoice,
  disableVoice,
  enableVoice,
  removeVoice,
  updateVoice,
  testVoice,
} from './voices/voice.ts'

/** Calls of the agents and of everything that belongs to them. */
export const agentModules: readonly Module[] = [
  implement(
    agents,
    {
      list: listAgents,
      get: getAgent,
      create: createAgent,
      update: updateAgent,
      remove: removeAgent,
      enable: enableAgent,
      disable: disableAgent,
      choices: listAgentFormOptions,
      voices: listVoiceChoices,
      devices: listDevices,
      export: exportAgents,
      accessPoint: readAccessPoint,
    },
    // Runs without a transaction, because the call to the access point may take seconds.
    { outsideTransaction: ['accessPoint'] },
  ),
  implement(agentVersions, {
    list: listAgentVersions,
    diff: diffVersions,
    note: setVersionNote,
    restore: restoreVersion,
  }),
  implement(tryOut, { ask: askAgent }, { outsideTransaction: ['ask'] }),
  implement(wordFiles, {
    list: listWords,
    get: getWords,
    create: createWords,
    update: updateWords,
    remove: removeWords,
  }),
  implement(agentContacts, {
    list: listContacts,
    feature: getContactFeature,
    targets: listContactTargetOptions,
    get: getContact,
    create: createContact,
    update: updateContact,
    remove: removeContact,
  }),
  implement(
    agentDevices,
    {
      list: listBindings,
      get: getBinding,
      connections: listConnections,
      otaAddress: getOtaAddress,
      diagnose,
      agents: listAgentOptions,
      bind: bindByCode,
      bindMac: bindByMac,
      unbind: unbindDevices,
      update: updateBinding,
      move: moveDevices,
      reset: resetIdentity,
      export: exportBindings,
      template: importBindings.template,
      import: importBindings.take,
    },
    { outsideTransaction: ['bind', 'bindMac', 'connections', 'export', 'import'] },
  ),
  implement(
    agentDeviceTools,
    { feature: getToolFeature, list: listDeviceTools, call: callDeviceTool },
    { outsideTransaction: ['list', 'call'] },
  ),
  implement(agentHistory, {
    sessions: listSessions,
    open: openSession,
    search: searchHistory,
    export: exportHistory,
    audio: sendTurnAudio,
    erase: eraseSession,
    memory: getMemory,
    saveMemory,
  }),
  implement(agentReminders, { list: listReminders, remove: removeReminder }),
  implement(
    agentModels,
    {
      list: listModels,
      options: listModelOptions,
      get: getModel,
      create: createModel,
      update: updateModel,
      remove: removeModel,
      copy: copyModel,
      setDefault: setDefaultModel,
      enable: enableModel,
      disable: disableModel,
      test: testModel,
      reveal: revealModelSecret,
    },
    { outsideTransaction: ['test'] },
  ),
  implement(agentProviders, {
    list: listProviders,
    get: getProvider,
    create: createProvider,
    update: updateProvider,
    remove: removeProvider,
  }),
  implement(agentOrders, {
    list: listOrders,
    get: getOrder,
    targets: listTargets,
    packages: listOrderPackages,
    devices: listOrderDevices,
    agents: listOrderAgents,
    groups: listOrderGroups,
    preview: previewOrder,
    create: createOrder,
    update: editOrder,
    gift: createGiftOrder,
    confirm: confirmOrder,
    close: closeOrder,
    refund: requestRefund,
    refundAudit: reviewRefund,
    export: exportOrders,
  }),
  implement(agentGrants, {
    list: listGrants,
    export: exportGrants,
    ledger: listLedger,
    exportLedger,
  }),
  implement(agentIncome, { list: listIncome, export: exportIncome }, { outsideTransaction: ['export'] }),
  implement(agentProducts, {
    list: listProducts,
    get: getVoicePackage,
    versions: listProductVersions,
    create: createProduct,
    update: updateProduct,
    remove: removeProduct,
    enable: enableProduct,
    disable: disableProduct,
    export: exportProducts,
  }),
  implement(
    agentParams,
    {
      get: getParameters,
      update: updateParameters,
      reset: resetParameter,
      reveal: revealParameter,
      renewSecret,
      endPreviousSecret,
      servers: listServers,
      reach: checkServerReachable,
      act: sendAction,
    },
    { outsideTransaction: ['reveal', 'reach', 'act'] },
  ),
  implement(agentTemplates, {
    list: listAgentTemplates,
    choices: listAgentFormOptions,
    voices: listVoiceChoices,
    agents: listAgentOptions,
    get: getTemplate,
    preview: previewTemplate,
    create: createTemplate,
    make: makeTemplate,
    update: updateTemplate,
    remove: removeTemplate,
    enable: enableTemplate,
    disable: disableTemplate,
  }),
  implement(
    agentUsage,
    { days: listUsageByDay, list: listUsage, export: exportUsage },
    { outsideTransaction: ['export'] },
  ),
  implement(
    voiceprints,
    {
      list: listVoiceprints,
      service: getServiceState,
      agents: listAgentOptions,
      turns: listTurns,
      audio: sendAudio,
      get: getVoiceprint,
      create: createVoiceprint,
      update: updateVoiceprint,
      remove: removeVoiceprint,
      test: testTurn,
      testFile,
    },
    // These calls run outside a transaction. Requests to the voiceprint service can take seconds. The list of turns opens
    // its own transaction for its row of the operation log.
    { outsideTransaction: ['service', 'turns', 'create', 'update', 'remove', 'test', 'testFile'] },
  ),
  implement(
    agentVoices,
    {
      list: listVoices,
      get: getVoice,
      create: createVoice,
      update: updateVoice,
      remove: removeVoice,
      enable: enableVoice,
      disable: disableVoice,
      export: exportVoices,
      uses: listVoiceUses,
      test: testVoice,
    },
    { outsideTransaction: ['test'] },
  ),
  implement(voiceClones, {
    list: listClones,
    feature: getCloneFeature,
    models: listCloneModels,
    get: getClone,
    create: createClone,
    update: renameClone,
    retry: retryClone,
    remove: removeClone,
  }),
]

/** Registers the background jobs of the agents. */
export function registerAgentJobs(services: Services) {
  registerSessionWork(services)
  registerCloneTraining(services)
  registerVoiceprintRemoval(services)
  registerHistoryRetention(services)
  registerErasure(services)
  registerUsageMerge(services)
  registerUsageRetention(services)
  registerGrantSchedule(services)
  registerGrantWarnings(services)
}

// What later modules use.
export { visibleSessions } from './agents/agent.ts'
export { readSessionWindow, computeDeviceState, visibleBindings } from './devices/device.ts'
export { type IncomeFilter, readIncome } from './orders/income.ts'
export { agentDevices } from './schema/agent-device.ts'
export { agentSessions } from './schema/agent-history.ts'
export { agentTryDays } from './schema/agent-usage.ts'
export { readUsageByDay } from './usage/usage.ts'
export { isAwaitingConfirmation, isAwaitingRefundAudit } from './orders/order-steps.ts'
export { agentOrders } from './schema/agent-orders.ts'

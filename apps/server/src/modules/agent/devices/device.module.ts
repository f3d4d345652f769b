import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import { agentDeviceTools } from '@oms/contract/agent/devices/device-tool.ts'
import { implement } from '#core/http/implement.ts'
import { bindByCode, bindByMac, moveDevices, resetIdentity, unbindDevices, updateBinding } from './device-bind.ts'
import { listConnections } from './device-connection.ts'
import { diagnose } from './device-diagnosis.ts'
import { listAgentOptions, getBinding, listBindings } from './device-rows.ts'
import { callDeviceTool, listDeviceTools, getToolFeature } from './device-tool.ts'
import { importBindings, exportBindings } from './device-transfer.ts'
import { getOtaAddress } from './ota-address.ts'

export const agentDeviceModule = implement(
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
)

export const agentDeviceToolModule = implement(
  agentDeviceTools,
  { feature: getToolFeature, list: listDeviceTools, call: callDeviceTool },
  { outsideTransaction: ['list', 'call'] },
)

import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import { agentDeviceTools } from '@oms/contract/agent/devices/device-tool.ts'
import { implement } from '#core/http/implement.ts'
import { bindByCode, bindByMac, move, resetIdentity, unbind, update } from './device-bind.ts'
import { listConnections } from './device-connection.service.ts'
import { diagnose } from './device-diagnosis.ts'
import { listAgentOptions, getBinding, listBindings } from './device-rows.ts'
import { callDeviceTool, listDeviceTools, toolFeature } from './device-tool.service.ts'
import { bindImport, exportBindings } from './device-transfer.ts'

export const agentDeviceModule = implement(
  agentDevices,
  {
    list: listBindings,
    get: getBinding,
    connections: listConnections,
    diagnose,
    agents: listAgentOptions,
    bind: bindByCode,
    bindMac: bindByMac,
    unbind,
    update,
    move,
    reset: resetIdentity,
    export: exportBindings,
    template: bindImport.template,
    import: bindImport.take,
  },
  { outsideTransaction: ['bind', 'bindMac', 'connections', 'export', 'import'] },
)

export const agentDeviceToolModule = implement(
  agentDeviceTools,
  { feature: toolFeature, list: listDeviceTools, call: callDeviceTool },
  { outsideTransaction: ['list', 'call'] },
)

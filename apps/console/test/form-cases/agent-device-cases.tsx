import { agentContacts } from '@oms/contract/agent/devices/contact.ts'
import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import { ContactForm, AgentDeviceForm, BindForm, BindMacForm, MoveForm } from '#modules/agent/devices/device-forms.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const file = 'agent/devices/device-forms.tsx'
const reads = [[agentDevices.agents, buildOptions({ tenantName: '客户' })]] as const

/** Forms of voice devices. */
export const AGENT_DEVICE_CASES: readonly FormCase[] = [
  {
    name: '按验证码绑定',
    file,
    save: agentDevices.bind,
    field: 'code',
    values: ['012345', '543210'],
    choose: ['agentId'],
    reads,
    form: (close) => <BindForm onClose={close} />,
  },
  {
    name: '按 MAC 绑定',
    file,
    save: agentDevices.bindMac,
    field: 'mac',
    values: ['001a2b3c4d5e', '001a2b3c4d5f'],
    choose: ['agentId'],
    reads,
    form: (close) => <BindMacForm onClose={close} />,
  },
  {
    name: '编辑语音设备',
    file,
    save: agentDevices.update,
    field: 'alias',
    record: { read: agentDevices.get },
    form: (close, row) => <AgentDeviceForm row={row as never} onClose={close} />,
  },
  {
    name: '更换智能体',
    file,
    save: agentDevices.move,
    field: 'agentId',
    values: null,
    choose: ['agentId'],
    reads,
    form: (close) => <MoveForm rows={[{ id: 7, name: '客厅' } as never]} onClose={close} />,
  },
  {
    name: '新增联系人',
    file: 'agent/devices/device-forms.tsx',
    save: agentContacts.create,
    field: 'alias',
    choose: ['targetId'],
    reads: [[agentContacts.targets, buildOptions({ mac: '00:1a:2b:3c:4d:5e' })]],
    form: (close) => <ContactForm row="new" deviceId={7} onClose={close} />,
  },
  {
    name: '编辑联系人',
    file: 'agent/devices/device-forms.tsx',
    save: agentContacts.update,
    field: 'alias',
    record: { read: agentContacts.get },
    form: (close, row) => <ContactForm row={row as never} deviceId={7} onClose={close} />,
  },
]

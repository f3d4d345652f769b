import { agentParams } from '@oms/contract/agent/parameters/params.ts'
import { ParamEditForm, ParamReveal } from '#modules/agent/param-dialogs.tsx'
import type { FormCase } from './form-case.ts'

const CODE = 'system_error_response'
const ROW = { code: CODE, title: '出错时的回复', source: 1, platformValue: '', updateTime: null }

/** Forms of the parameters of agents. */
export const PARAM_CASES: readonly FormCase[] = [
  {
    name: '修改参数',
    file: 'agent/param-dialogs.tsx',
    save: agentParams.update,
    field: 'value',
    record: { read: agentParams.get, at: 'list', values: ROW },
    form: (close, row) => <ParamEditForm row={{ ...row, code: CODE } as never} tenantId={undefined} onClose={close} />,
  },
  {
    name: '查看密钥',
    file: 'agent/param-dialogs.tsx',
    save: agentParams.reveal,
    field: 'reason',
    opens: '我已保存',
    form: (close) => <ParamReveal row={{ code: 'server.secret' }} tenantId={undefined} onClose={close} />,
  },
]

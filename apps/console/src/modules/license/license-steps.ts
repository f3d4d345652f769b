import { licenseCerts } from '@oms/contract/license/license.ts'

/** Names and effects of the state transitions that require a reason. */
export const LICENSE_STEP_DIALOGS = {
  recall: { label: '收回', to: licenseCerts.recall, hint: '收回后证书回到库存，已消耗的授权额度退还给客户。' },
  unbind: { label: '解绑', to: licenseCerts.unbind, hint: '设备将不再持有该证书；设备曾激活过时必须填写原因。' },
  suspend: { label: '暂停', to: licenseCerts.suspend, hint: '暂停后设备激活请求将被拒绝，恢复后可继续使用。' },
  resume: { label: '恢复', to: licenseCerts.resume, hint: '恢复后证书重新生效。' },
  scrap: { label: '报废', to: licenseCerts.scrap, hint: '报废后不能恢复，已绑定的设备将释放该证书。' },
} as const
export type StepName = keyof typeof LICENSE_STEP_DIALOGS

import { expect, test } from 'vitest'
import { AD_TYPES, AUDIT_STATUS } from './advertise/ad-rules.ts'
import { PLAY_MODE_NAME, PROGRAM_STATUS_NAME } from './advertise/program-words.ts'
import { GENDER } from './account/account-fields.ts'
import { DICT_SEED } from './system/dict-seed.ts'
import { TICKET_HANDLING_STATUS, PROBLEM_TYPE } from './ticket/ticket-rows.ts'
import { LICENSE_STATE } from './license/license-state.ts'
import { LICENSE_VENDORS } from './license/license-uid.ts'
import { LOG_STATUS, OPERATION_LABELS } from './system/log.ts'
import { NOTICE_STATUS, NOTICE_TYPE } from './system/notice.ts'
import { COMPONENT_TYPE } from './upgrade/ota.ts'
import { ENTITLEMENT_STATE } from './storage/entitlement.ts'
import { RECORDING_TYPE } from './storage/package.ts'
import { COMPANY_SIZE, TENANT_LEVEL } from './tenant/tenant-info.ts'
import { APPLY_STATUS } from './tenant/user-apply.ts'

/** Maps each dictionary to the code constants that its values must match. */
const CODES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  sys_user_sex: GENDER,
  sys_notice_type: NOTICE_TYPE,
  sys_notice_status: NOTICE_STATUS,
  sys_oper_type: OPERATION_LABELS,
  sys_common_status: LOG_STATUS,
  // 0 (待处理) is the initial state; the dictionary of the specification has no entry for 0.
  feedback_status: TICKET_HANDLING_STATUS,
  feedback_problem_type: PROBLEM_TYPE,
  company_size: COMPANY_SIZE,
  tenant_level: TENANT_LEVEL,
  apply_status: APPLY_STATUS,
  ota_component_type: COMPONENT_TYPE,
  oss_record_type: RECORDING_TYPE,
  oss_order_status: ENTITLEMENT_STATE,
  ad_type: AD_TYPES,
  ad_audit_status: AUDIT_STATUS,
  program_status: PROGRAM_STATUS_NAME,
  program_play_mode: PLAY_MODE_NAME,
  license_type: LICENSE_VENDORS,
  license_status: LICENSE_STATE,
}

/** Dictionaries whose codes are only stored and shown: parts of a problem, categories and words of ads. */
const FREE = /^(feedback_(hardware|software|structure)|ad_(category|banned_words))$/

test('every shipped dictionary either has no codes in the program or is compared with them', () => {
  const types = DICT_SEED.map(({ type }) => type)
  expect(types.filter((type) => type in CODES === FREE.test(type))).toEqual([])
  expect(Object.keys(CODES).filter((type) => !types.includes(type))).toEqual([])
})

test.each(Object.entries(CODES))('the dictionary %s has exactly the codes and labels of the program', (type, words) => {
  const seed = DICT_SEED.find((one) => one.type === type)
  expect(Object.fromEntries(seed?.entries.map(([value, label]) => [value, label]) ?? [])).toEqual({ ...words })
})

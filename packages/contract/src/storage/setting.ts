import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, rev, whole } from '../core/fields.ts'

/** Permitted numbers of days between a notice and the end of a service. */
export const NOTICE_DAYS = [60, 30, 15, 7, 3, 1] as const
const days = NOTICE_DAYS.map(String)

/** Effects of unbinding a device from its App account on the packages of the device. */
export const ON_UNBIND = { 1: '套餐随设备', 2: '暂停套餐' } as const

/** Days before the end of a service on which notices are sent: unique, in descending order. */
const noticeDays = z
  .preprocess(
    (value) => (value === undefined || value === null || Array.isArray(value) ? (value ?? []) : [value]),
    z
      .array(
        z.preprocess(
          (value) => (typeof value === 'string' && days.includes(value) ? Number(value) : value),
          z.literal(NOTICE_DAYS, '请选择到期提醒'),
        ),
        '请选择到期提醒',
      )
      .max(NOTICE_DAYS.length, `最多选择${NOTICE_DAYS.length}项`)
      .transform((list) => [...new Set(list)].toSorted((a, b) => b - a)),
  )
  .meta({ title: '到期提醒' })

export const StorageSettings = z.object({
  /** Days that videos stay after the last package of a channel ended. */
  keepDays: whole('到期后录像保留天数', 0, 30),
  noticeDays,
  /** The default keeps settings valid that an earlier version stored. */
  onUnbind: choice('设备解绑时', ON_UNBIND).default(1).meta({ title: '设备解绑时', labels: ON_UNBIND }),
  /** A batch for more devices needs the approval of a second person; 0: never. */
  twoPersonAbove: whole('批量开通审批台数', 0, 100_000),
})
export type StorageSettings = z.output<typeof StorageSettings>

export const DEFAULT_STORAGE_SETTINGS: StorageSettings = {
  keepDays: 7,
  noticeDays: [30, 7, 1],
  onUnbind: 1,
  twoPersonAbove: 1000,
}

/** Settings of cloud storage (drawer 云存参数 of `/ossManage/ossStatisticalAnalysis`). */
export const storageSettings = {
  get: {
    method: 'GET',
    path: '/api/v1/oss/setting',
    access: 'ossManage:ossStatisticalAnalysis:setting',
    input: z.object({}),
    result: StorageSettings.extend({ rev: z.int() }),
  },
  save: {
    method: 'PUT',
    path: '/api/v1/oss/setting',
    access: 'ossManage:ossStatisticalAnalysis:setting',
    allTenants: true,
    title: '修改云存参数',
    kind: 'edit',
    body: 'json',
    input: StorageSettings.extend({ rev }),
    result: z.null(),
    done: '保存成功',
  },
} as const satisfies Contract

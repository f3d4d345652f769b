import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, note, optional, whole } from '../core/fields.ts'

export const OWN_PROGRAM_MESSAGE = '不能审批自己提交的发布，请由另一人审批'
export const PROGRAM_AUDIT = { 2: '通过', 3: '驳回' } as const
const byId = z.object({ id })
const verNo = whole('版本', 0, 2_147_483_647)
const moved = z.object({ status: z.int(), verNo: z.int(), rev: z.int() })
const published = moved.extend({
  /** True when the version waits for approval by another account. */
  isWaiting: z.boolean(),
  screens: z.int(),
})
const screens = optional(whole('屏幕数量', 0, 100_000_000)).meta({ title: '屏幕数量' })

/** Publishing of programs. A published version is never edited. */
export const programPublish = {
  publish: {
    method: 'POST',
    path: '/api/v1/advertise/program/publish/:id',
    access: 'advertiseManage:ProgramList:publish',
    title: '发布节目单',
    kind: 'edit',
    input: z.object({
      id,
      /** Newest version that the caller has seen. Publishing is refused when a newer version exists. */
      verNo: optional(verNo).meta({ title: '版本' }),
      /** Number of screens that a takeover interrupts, as confirmed by the caller. */
      screens,
    }),
    result: published,
    done: '发布成功',
  },
  republish: {
    method: 'POST',
    path: '/api/v1/advertise/program/republish/:id',
    access: 'advertiseManage:ProgramList:publish',
    title: '重新发布节目单',
    kind: 'edit',
    input: z.object({ id, verNo: verNo.meta({ title: '版本' }), screens }),
    result: published,
    done: '发布成功',
  },
  audit: {
    method: 'POST',
    path: '/api/v1/advertise/program/audit',
    access: 'advertiseManage:ProgramList:audit',
    title: '审批节目单',
    kind: 'edit',
    input: z
      .object({ id, verNo, auditStatus: choice('审批结果', PROGRAM_AUDIT), remark: note('审批意见', 200) })
      .refine(({ auditStatus, remark }) => auditStatus !== 3 || remark !== '', {
        path: ['remark'],
        message: '请填写驳回原因',
      }),
    result: moved,
    done: '审批完成',
  },
  pause: {
    method: 'POST',
    path: '/api/v1/advertise/program/pause/:id',
    access: 'advertiseManage:ProgramList:pause',
    title: '暂停节目单',
    kind: 'edit',
    input: byId,
    result: moved,
    done: '已暂停',
  },
  resume: {
    method: 'POST',
    path: '/api/v1/advertise/program/resume/:id',
    access: 'advertiseManage:ProgramList:publish',
    title: '恢复节目单',
    kind: 'edit',
    input: byId,
    result: moved,
    done: '已恢复投放',
  },
  withdraw: {
    method: 'POST',
    path: '/api/v1/advertise/program/withdraw/:id',
    access: 'advertiseManage:ProgramList:withdraw',
    title: '撤回节目单',
    kind: 'edit',
    input: byId,
    result: moved,
    done: '已撤回',
  },
} as const satisfies Contract

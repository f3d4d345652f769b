import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, note, optional, whole } from '../core/fields.ts'
import { ManifestSchema } from './manifest-schema.ts'
import { ProgramItem, ProgramVersionRow } from './program.ts'
import { PROGRAM_STATUS_NAME, PROGRAM_VERSION_STATE, YES_NO } from './program-words.ts'

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

/** A version with all of its content. */
export const ReviewedVersion = ProgramVersionRow.extend({
  isDefault: z.int().meta({ title: '默认节目单', labels: YES_NO }),
  /** Items with the approved content of their ads, which screens play. */
  items: z.array(
    ProgramItem.extend({
      approvalUntil: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/)
        .nullable(),
    }),
  ),
})
export type ReviewedVersionView = z.output<typeof ReviewedVersion>

/** Content of a version for its approver. */
export const ProgramReview = z.object({
  version: ReviewedVersion,
  /** The version in force, which the approval replaces; null: none. */
  inForce: ReviewedVersion.nullable(),
  /** Version that waits for approval now; 0: none. */
  waitingVer: z.int(),
  status: z.int().meta({ title: '状态', labels: PROGRAM_STATUS_NAME }),
  /** Manifest of a screen on which only this version plays, for the preview. */
  manifest: ManifestSchema,
})

interface DecidedVersion {
  readonly verNo: number
  readonly state: number
  readonly auditByName: string
  /** Version that waits for approval now; 0: none. */
  readonly waitingVer: number
}

/**
 * Returns the message that a version cannot be approved or rejected any more, with the reason and the version that
 * waits.
 */
export function formatNotWaitingMessage({ verNo, state, auditByName, waitingVer }: DecidedVersion): string {
  const by = auditByName && `由${auditByName}`
  const { withdrawn, rejected } = PROGRAM_VERSION_STATE
  const fate = state === withdrawn ? '被撤回' : state === rejected ? `${by || '被'}驳回` : `${by}审批通过`
  const next = waitingVer > 0 ? `现在等待审批的是版本 ${waitingVer}` : '不需要再审批'
  return `版本 ${verNo} 已${fate}，${next}`
}

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
  /** Returns a version with the complete content that its approval puts in force. */
  review: {
    method: 'GET',
    path: '/api/v1/advertise/program/review',
    access: 'advertiseManage:ProgramList:audit',
    input: z.object({ id, verNo: verNo.meta({ title: '版本' }) }),
    result: ProgramReview,
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

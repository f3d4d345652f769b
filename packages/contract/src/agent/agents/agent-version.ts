import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { id, note, optional } from '../../core/fields.ts'
import { AgentUpdate } from './agent-input.ts'

const ROOT = '/api/v1/agent/list'
const byId = z.object({ id })

export const VERSION_SOURCE = { 1: '新增', 2: '保存', 3: '恢复', 4: '模板', 5: '存为候选' } as const
export const VersionRow = z.object({
  versionNo: z.int().meta({ title: '版本' }),
  source: z.int().meta({ title: '来源', labels: VERSION_SOURCE }),
  /** Titles of the changed fields. */
  changed: z.array(z.string()).meta({ title: '修改内容' }),
  note: z.string().meta({ title: '说明' }),
  createName: z.string().meta({ title: '操作人' }),
  createTime: z.string().meta({ title: '时间', format: 'date-time' }),
  sessions: z.int().meta({ title: '对话数' }),
  turns: z.int().meta({ title: '轮数' }),
  /** Data that is erased when the version becomes the version in force. */
  erases: z.enum(['', 'turns', 'memory']),
})
export type VersionRow = z.output<typeof VersionRow>

/** One field that differs between two versions, with both values as text. */
export const FieldDifference = z.object({ field: z.string(), title: z.string(), from: z.string(), to: z.string() })

const { rev: agentRev, confirmErase } = AgentUpdate.shape
const share = z
  .preprocess(
    (value) => (typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value),
    z.int('比例应为0～100').min(0, '比例应为0～100').max(100, '比例应为0～100'),
  )
  .default(0)
  .meta({ title: '设备比例' })
const candidateReach = {
  share,
  deviceIds: z.array(id).max(100, '指定设备最多100台').default([]).meta({ title: '指定设备' }),
}

/** Versions of an agent, and the candidate that only some devices get. */
export const agentVersions = {
  list: {
    method: 'GET',
    path: `${ROOT}/versions/:id`,
    access: 'agent:agent:query',
    input: byId,
    result: z.object({ list: z.array(VersionRow), versionNo: z.int(), candidateNo: z.int().nullable() }),
  },
  /** Differences between a version and another version, by default the version in force. */
  diff: {
    method: 'GET',
    path: `${ROOT}/versions/:id/diff/:versionNo`,
    access: 'agent:agent:query',
    input: byId.extend({ versionNo: id, against: optional(id).meta({ title: '对比版本' }) }),
    result: z.object({ against: z.int(), list: z.array(FieldDifference) }),
  },
  note: {
    method: 'PUT',
    path: `${ROOT}/versions/:id/note/:versionNo`,
    access: 'agent:agent:version',
    title: '修改版本说明',
    input: byId.extend({ versionNo: id, note: note('说明', 200) }),
    result: z.null(),
    done: '修改成功',
  },
  restore: {
    method: 'POST',
    path: `${ROOT}/versions/:id/restore/:versionNo`,
    access: 'agent:agent:version',
    title: '恢复智能体版本',
    kind: 'edit',
    input: byId.extend({ versionNo: id, rev: agentRev, confirmErase }),
    result: z.object({ rev: z.int(), versionNo: z.int() }),
    done: '已恢复，设备下次连接时生效',
  },
  /** Saves the form as the candidate: a version that only some devices get. */
  saveCandidate: {
    method: 'POST',
    path: `${ROOT}/candidate`,
    access: 'agent:agent:version',
    title: '保存候选版本',
    kind: 'edit',
    body: 'json',
    log: ['id', 'rev', 'note', 'share', 'deviceIds'],
    input: AgentUpdate.omit({ confirmErase: true }).extend(candidateReach),
    result: z.object({ rev: z.int(), versionNo: z.int() }),
    done: '已保存为候选版本',
  },
  reach: {
    method: 'PUT',
    path: `${ROOT}/candidate/reach`,
    access: 'agent:agent:version',
    title: '调整候选版本范围',
    body: 'json',
    input: byId.extend({ rev: agentRev, ...candidateReach }),
    result: z.object({ rev: z.int() }),
    done: '已调整',
  },
  take: {
    method: 'POST',
    path: `${ROOT}/candidate/take/:id`,
    access: 'agent:agent:version',
    title: '采用候选版本',
    kind: 'edit',
    input: byId.extend({ rev: agentRev, confirmErase }),
    result: z.object({ rev: z.int(), versionNo: z.int() }),
    done: '已采用，设备下次连接时生效',
  },
  drop: {
    method: 'POST',
    path: `${ROOT}/candidate/drop/:id`,
    access: 'agent:agent:version',
    title: '放弃候选版本',
    kind: 'edit',
    input: byId.extend({ rev: agentRev }),
    result: z.object({ rev: z.int() }),
    done: '已放弃候选版本',
  },
} as const satisfies Contract

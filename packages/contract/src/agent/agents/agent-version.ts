import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { id, note, optional } from '../../core/fields.ts'
import { AgentUpdate } from './agent-input.ts'

const ROOT = '/api/v1/agent/list'
const byId = z.object({ id })

export const VERSION_SOURCE = { 1: '新增', 2: '保存', 3: '恢复', 4: '模板' } as const
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
/** Calls that list, compare, annotate and restore the versions of an agent. */
export const agentVersions = {
  list: {
    method: 'GET',
    path: `${ROOT}/versions/:id`,
    access: 'agent:agent:query',
    input: byId,
    result: z.object({ list: z.array(VersionRow), versionNo: z.int() }),
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
} as const satisfies Contract

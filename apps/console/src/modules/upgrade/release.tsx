import type { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import type { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import type { otaAllowlist } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { Tag } from 'antd'
import { createContext, use } from 'react'
import { RELEASE_MODE, RELEASE_STATE, TASK_STATE } from '@oms/contract/upgrade/task-state.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { State } from '#kit/record/state.tsx'

/** Calls of the release page. Firmware and software packages share the page; each has its own calls and permissions. */
export interface ReleaseCalls {
  readonly release: typeof otaRelease
  readonly task: Omit<typeof otaTask, 'ofDevice'>
  readonly white: typeof otaAllowlist
}

const Context = createContext<ReleaseCalls | undefined>(undefined)
export const ReleaseCallsProvider = Context

export function useReleaseCalls(): ReleaseCalls {
  const calls = use(Context)
  if (!calls) throw new Error('no calls of releases around this component')
  return calls
}

export type Release = ResultOf<typeof otaRelease.get>
export const RUNNING_STATE = 0
export const WAITING_STATE = 1
export const REFUSED_STATE = 2
export const PAUSED_STATE = 3
export const STOPPED_STATE = 4
export const FORMAL_MODE = 2

const COLORS: Readonly<Record<number, string>> = { 0: 'processing', 1: 'gold', 2: 'error', 3: 'warning', 4: 'default' }

/** Tag with the state of a release. */
export const ReleaseState = ({ mode, state, status }: Pick<Release, 'mode' | 'state' | 'status'>) => (
  <span className="kit-tags">
    <Tag>{RELEASE_MODE[mode as keyof typeof RELEASE_MODE] ?? mode}</Tag>
    <State color={status === 1 ? (COLORS[state] ?? 'default') : 'default'}>
      {status === 1
        ? (RELEASE_STATE[state as keyof typeof RELEASE_STATE] ?? state)
        : status === 2
          ? '版本已停用'
          : '版本未启用'}
    </State>
  </span>
)

/** Colours of the task states in the progress bar. */
export const TASK_COLOR: Readonly<Record<number, string>> = {
  0: '#8c8c8c',
  5: '#b37feb',
  10: '#85a5ff',
  20: '#4096ff',
  30: '#1677ff',
  40: '#0958d9',
  50: '#d48806',
  100: '#389e0d',
  110: '#cf1322',
  120: '#bfbfbf',
}
const TAG_COLOR: Readonly<Record<number, string>> = {
  50: 'gold',
  100: 'success',
  110: 'error',
  120: 'default',
  0: 'default',
}

export const taskStateText = (state: number) => TASK_STATE[state as keyof typeof TASK_STATE] ?? String(state)

export const TaskState = ({ state }: { state: number }) => (
  <State color={TAG_COLOR[state] ?? 'processing'}>{taskStateText(state)}</State>
)

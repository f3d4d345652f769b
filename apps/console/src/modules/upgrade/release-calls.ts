import type { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import type { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import type { otaAllowlist } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { createContext, use } from 'react'

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

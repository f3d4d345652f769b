import type { otaRelease } from '@oms/contract/upgrade-release.ts'
import type { otaTask } from '@oms/contract/upgrade-task.ts'
import type { otaChoices, otaWhite } from '@oms/contract/upgrade-white.ts'
import { createContext, use } from 'react'

/** Firmware and general software share the release page; each has calls, and so rights, of its own. */
export interface ReleaseCalls {
  readonly release: typeof otaRelease
  readonly task: Omit<typeof otaTask, 'ofDevice'>
  readonly white: typeof otaWhite
  readonly choices: typeof otaChoices
}

const Context = createContext<ReleaseCalls | undefined>(undefined)
export const CallsProvider = Context

export function useCalls(): ReleaseCalls {
  const calls = use(Context)
  if (!calls) throw new Error('no calls of releases around this component')
  return calls
}

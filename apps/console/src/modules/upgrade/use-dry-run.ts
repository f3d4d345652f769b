import type { InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import type { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call, type ApiError } from '#core/api/client.ts'
import { useDebounced } from '#kit/form/use-debounced.ts'
import { useReleaseCalls } from './release-calls.ts'

export type DryRunResult = ResultOf<typeof otaRelease.dryRun>
export type Policy = InputOf<typeof otaRelease.dryRun>['policy']

/** Runs a dry run of the stored release, or of the settings being edited. Waits until the user stops typing. */
export function useDryRun(otaId: number, policy?: Policy) {
  const calls = useReleaseCalls()
  const text = useDebounced(JSON.stringify(policy ?? null))
  return useQuery<DryRunResult, ApiError>({
    queryKey: ['upgrade', 'dryRun', otaId, text],
    queryFn: ({ signal }) => {
      const draft = JSON.parse(text) as Policy | null
      return call(calls.release.dryRun, { otaId, ...(draft && { policy: draft }) }, { signal, quiet: true })
    },
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
}

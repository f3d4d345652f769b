import type { InputOf, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import type { otaRelease } from '@oms/contract/upgrade-release.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, type Refusal } from '#kernel/call.ts'
import { useCalls } from './release-calls.ts'

export type Survey = ResultOf<typeof otaRelease.survey>
export type Policy = InputOf<typeof otaRelease.survey>['policy']

const REST_MS = 400

/** Who would get the version now; with a draft, once publishing made it so. Asked again when typing rests. */
export function useSurvey(otaId: number, policy?: Policy) {
  const calls = useCalls()
  const text = useRested(JSON.stringify(policy ?? null))
  return useQuery<Survey, Refusal>({
    queryKey: ['upgrade', 'survey', otaId, text],
    queryFn: ({ signal }) => {
      const draft = JSON.parse(text) as Policy | null
      return call(calls.release.survey, { otaId, ...(draft && { policy: draft }) }, { signal, quiet: true })
    },
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
}

function useRested(text: string) {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

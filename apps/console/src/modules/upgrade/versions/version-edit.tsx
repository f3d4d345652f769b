import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import type { ota } from '@oms/contract/upgrade/ota.ts'
import { Skeleton } from 'antd'
import { useState } from 'react'
import { useParams } from 'react-router'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { useTabTitle } from '#core/routing/tab.tsx'
import { LoadErrorPage } from '#kit/feedback/load-error-page.tsx'
import { Panel } from '#kit/record/page.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { OtaForm } from './ota-form.tsx'

type Version = ResultOf<typeof ota.get>

/** Loads the version in the URL and shows its form. */
export function VersionEditForm() {
  const { calls, listPath } = useArtifactKind()
  const otaId = Number(useParams().id)
  // Edits only data that was read after opening, because the server refuses a save with an older revision.
  const read = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false, staleTime: 0 })
  const { data, error, isFetchedAfterMount, refetch } = read
  useTabTitle(data && `编辑 ${data.otaVersion.verName}`)
  const [opened, setOpened] = useState<Version>()
  // Keeps the opened view when another user changes the version or a later request fails.
  if (!opened && data && isFetchedAfterMount && !error) setOpened(data)
  if (opened) return <Opened version={opened} />
  if (error) return <LoadErrorPage refusal={error} onRetry={() => void refetch()} list={listPath} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 10 }} />
    </Panel>
  )
}

function Opened({ version }: { version: Version }) {
  const { calls } = useArtifactKind()
  const { otaId, status } = version.otaVersion
  const latest = () => call(calls.get, { otaId })
  return (
    <OtaForm
      endpoint={calls.update}
      place={String(otaId)}
      initial={version}
      latest={latest}
      locked={status === 0 ? undefined : version}
    />
  )
}

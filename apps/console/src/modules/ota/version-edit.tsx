import type { ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { OTA_MESSAGES, type ota } from '@oms/contract/ota.ts'
import { Alert, Skeleton } from 'antd'
import { useState } from 'react'
import { useParams } from 'react-router'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { useTabTitle } from '#kernel/tab.tsx'
import { LostPage } from '#kit/lost-page.tsx'
import { Page, Panel } from '#kit/page.tsx'
import { useFamily } from './family.ts'
import { OtaDetails } from './ota-details.tsx'
import { OtaForm } from './ota-form.tsx'
import { OtaHistory } from './ota-history.tsx'

type Version = ResultOf<typeof ota.get>

/** One version: to edit while it is a draft, to read once it was enabled. */
export function VersionEdit() {
  const { calls, listPath } = useFamily()
  const otaId = Number(useParams().id)
  // Only what was read after opening may be edited: an older copy would be refused when saved.
  const read = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false, staleTime: 0 })
  const { data, error, isFetchedAfterMount, refetch } = read
  useTabTitle(data && `${data.otaVersion.status === 0 ? '编辑' : '查看'} ${data.otaVersion.verName}`)
  const [opened, setOpened] = useState<Version>()
  // Stays what it was opened as: neither a colleague's change nor a failure meanwhile may take the form away.
  if (!opened && data && isFetchedAfterMount && !error) setOpened(data)
  if (opened) return <Opened version={opened} />
  if (error) return <LostPage refusal={error} onRetry={() => void refetch()} list={listPath} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 10 }} />
    </Panel>
  )
}

function Opened({ version }: { version: Version }) {
  const { calls } = useFamily()
  const { otaId, status } = version.otaVersion
  if (status !== 0) return <Frozen otaId={otaId} />
  const latest = () => call(calls.get, { otaId })
  return <OtaForm endpoint={calls.update} place={String(otaId)} initial={version} latest={latest} />
}

const Frozen = ({ otaId }: { otaId: number }) => (
  <Page>
    <Alert type="info" showIcon title={OTA_MESSAGES.immutable} />
    <Panel>
      <OtaDetails otaId={otaId} />
      <OtaHistory otaId={otaId} />
    </Panel>
  </Page>
)

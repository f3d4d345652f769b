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

/** One version: to edit while it is a draft, to read once it was enabled. */
export function VersionEdit() {
  const { calls, listPath } = useFamily()
  const otaId = Number(useParams().id)
  // Only what was read after opening may be edited: an older copy would be refused when saved.
  const read = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false, staleTime: 0 })
  const { data, error, isFetchedAfterMount, refetch } = read
  useTabTitle(data && `${data.otaVersion.status === 0 ? '编辑' : '查看'} ${data.otaVersion.verName}`)
  if (error) return <LostPage refusal={error} onRetry={() => void refetch()} list={listPath} />
  if (data && isFetchedAfterMount) return <Opened version={data} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 10 }} />
    </Panel>
  )
}

/** Stays what it was opened as: a colleague's change meanwhile must not take the form away. */
function Opened({ version }: { version: ResultOf<typeof ota.get> }) {
  const { calls } = useFamily()
  const [first] = useState(version)
  const { otaId, status } = first.otaVersion
  if (status !== 0) return <Frozen otaId={otaId} />
  const latest = () => call(calls.get, { otaId })
  return <OtaForm endpoint={calls.update} place={String(otaId)} initial={first} latest={latest} />
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

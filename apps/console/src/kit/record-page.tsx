import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import type { Refusal } from '#kernel/call.ts'
import { LostPage, Outdated } from './lost-page.tsx'
import { Panel } from './page.tsx'

interface Props<Data> {
  /** Asked quietly: what comes of it is told here. */
  readonly read: { readonly data: Data | undefined; readonly error: Refusal | null; refetch(): unknown }
  /** Address of the list to go back to. */
  readonly list: string
  children(data: Data): ReactNode
}

/** One record's page: grey lines until it is read, a way back when it cannot be, and once shown it stays. */
export function RecordPage<Data>({ read: { data, error, refetch }, list, children }: Props<Data>) {
  const again = () => void refetch()
  if (data !== undefined)
    return (
      <>
        <Outdated refusal={error} onRetry={again} />
        {children(data)}
      </>
    )
  if (error) return <LostPage refusal={error} onRetry={again} list={list} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 10 }} />
    </Panel>
  )
}

import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import type { ApiError } from '#core/api/client.ts'
import { LoadErrorPage, RefreshErrorBanner } from '#kit/feedback/load-error-page.tsx'
import { Panel } from './page.tsx'

interface Props<Data> {
  /** Query without an error toast, because this component shows its error. */
  readonly read: { readonly data: Data | undefined; readonly error: ApiError | null; refetch(): unknown }
  /** URL of the list to return to. */
  readonly list: string
  children(data: Data): ReactNode
}

/** Page of one record: skeleton while loading, link to the list on failure; a loaded record stays visible. */
export function RecordPage<Data>({ read: { data, error, refetch }, list, children }: Props<Data>) {
  const again = () => void refetch()
  if (data !== undefined)
    return (
      <>
        <RefreshErrorBanner refusal={error} onRetry={again} />
        {children(data)}
      </>
    )
  if (error) return <LoadErrorPage refusal={error} onRetry={again} list={list} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 10 }} />
    </Panel>
  )
}

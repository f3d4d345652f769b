import { Button } from 'antd'
import type { ApiError } from '#core/api/client.ts'
import { useTab } from '#core/routing/tab.tsx'
import { Panel } from '#kit/record/page.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'

/** Error banner above a loaded record that could not be refreshed; the record and all input stay visible. */
export const RefreshErrorBanner = ({ refusal, onRetry }: { refusal: ApiError | null; onRetry(): void }) =>
  refusal && <LoadFailed refusal={refusal} hint="下面是之前读到的内容" onRetry={onRetry} />

/** Replaces a record page that failed to load: error message, retry button and link to the list. */
export function LoadErrorPage({ refusal, onRetry, list }: { refusal: ApiError; onRetry(): void; list: string }) {
  const tab = useTab()
  return (
    <Panel>
      <LoadFailed refusal={refusal} onRetry={onRetry} />
      <Button onClick={() => tab.close(list)}>返回列表</Button>
    </Panel>
  )
}

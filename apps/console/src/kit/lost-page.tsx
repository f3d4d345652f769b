import { Button } from 'antd'
import type { Refusal } from '#kernel/call.ts'
import { useTab } from '#kernel/tab.tsx'
import { Panel } from './page.tsx'
import { LoadFailed } from './table-state.tsx'

/** Above a record's page that was shown and could not be read anew: it stays, with all that was typed into it. */
export const Outdated = ({ refusal, onRetry }: { refusal: Refusal | null; onRetry(): void }) =>
  refusal && <LoadFailed refusal={refusal} hint="下面是之前读到的内容" onRetry={onRetry} />

/** In the place of a record's page that cannot be shown: why, another try, and the way back to its list. */
export function LostPage({ refusal, onRetry, list }: { refusal: Refusal; onRetry(): void; list: string }) {
  const tab = useTab()
  return (
    <Panel>
      <LoadFailed refusal={refusal} onRetry={onRetry} />
      <Button onClick={() => tab.close(list)}>返回列表</Button>
    </Panel>
  )
}

import { staff } from '@oms/contract/staff.ts'
import { Skeleton } from 'antd'
import { useRead } from '#kernel/query.ts'
import { SessionList } from '#kit/session-list.tsx'
import { LoadFailed } from '#kit/table-state.tsx'
import { useForceOut } from '#kit/use-force-out.ts'

/** Where one user is logged in. */
export function StaffSessions({ uid }: { uid: number }) {
  const { data, error, refetch } = useRead(staff.sessions, { id: uid }, { quiet: true, keepPrevious: false })
  const forceOut = useForceOut(['tenant'])
  if (error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton active title={false} />
  return <SessionList sessions={data.list} onEnd={forceOut} />
}

import { staff } from '@oms/contract/staff.ts'
import { useRead } from '#kernel/query.ts'
import { SessionList } from '#kit/session-list.tsx'
import { useForceOut } from '#kit/use-force-out.ts'
import { Waiting } from '#kit/waiting.tsx'

/** Where one user is logged in. */
export function StaffSessions({ uid }: { uid: number }) {
  const { data, error, refetch } = useRead(staff.sessions, { id: uid }, { quiet: true, keepPrevious: false })
  const forceOut = useForceOut(['tenant'])
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return <SessionList sessions={data.list} onEnd={forceOut} />
}

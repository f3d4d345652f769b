import { staff } from '@oms/contract/staff/staff.ts'
import { useRead } from '#core/api/query.ts'
import { SessionList } from '#kit/record/session-list.tsx'
import { useEndSession } from '#kit/record/use-end-session.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'

/** Lists the sessions of an account. */
export function StaffSessions({ uid }: { uid: number }) {
  const { data, error, refetch } = useRead(staff.sessions, { id: uid }, { quiet: true, keepPrevious: false })
  const forceOut = useEndSession(['tenant'])
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return <SessionList sessions={data.list} onEnd={forceOut} />
}

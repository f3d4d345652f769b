import { Skeleton } from 'antd'
import type { Refusal } from '#kernel/call.ts'
import { LoadFailed } from './table-state.tsx'

/** The reads waited for; ask them quietly, a failure is told where they are waited for. */
export type Reads = readonly { readonly error: Refusal | null; refetch(): unknown }[]

/**
 * Grey lines where what is read will stand; a failure in words, with another try. Only for what is not there yet: what a
 * person reads or types in stays when reading it anew fails.
 */
export function Waiting({ reads, rows = 8 }: { reads: Reads; rows?: number }) {
  const failed = reads.filter(({ error }) => error !== null)
  const refusal = failed[0]?.error
  if (!refusal) return <Skeleton active title={rows > 4} paragraph={{ rows }} />
  return <LoadFailed refusal={refusal} onRetry={() => failed.map(({ refetch }) => refetch())} />
}

import { Skeleton } from 'antd'
import type { ApiError } from '#core/api/client.ts'
import { LoadFailed } from '#kit/table/table-state.tsx'

/** Queries to wait for. They must be quiet, because this component shows their errors. */
export type PendingReads = readonly { readonly error: ApiError | null; refetch(): unknown }[]

/**
 * Shows a skeleton while the first load runs, and an error with a retry button when it fails. Loaded content stays
 * visible when a refetch fails.
 */
export function Waiting({ reads, rows = 8 }: { reads: PendingReads; rows?: number }) {
  const failed = reads.filter(({ error }) => error !== null)
  const refusal = failed[0]?.error
  if (!refusal) return <Skeleton active title={rows > 4} paragraph={{ rows }} />
  return <LoadFailed refusal={refusal} onRetry={() => failed.map(({ refetch }) => refetch())} />
}

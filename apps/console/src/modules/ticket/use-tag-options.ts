import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { useRead } from '#core/api/query.ts'

/** Returns the tags in use as options. */
export function useTagOptions() {
  const { data = [] } = useRead(ticketDesk.tags, {}, { quiet: true, staleTime: 300_000 })
  return data.map((tag) => ({ value: tag, label: tag }))
}

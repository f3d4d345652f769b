import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { useRead } from '#core/api/query.ts'

const option = ({ id, name }: { id: number; name: string }) => ({ value: id, label: name })

/** Returns the tenants, device types, models and tags for filters and forms of tickets. */
export function useTicketOptions() {
  const { data } = useRead(ticketDesk.choices, {}, { quiet: true, staleTime: 300_000 })
  return {
    tenants: (data?.tenants ?? []).map(option),
    types: (data?.types ?? []).map(option),
    models: (data?.models ?? []).map(option),
    tags: (data?.tags ?? []).map((tag) => ({ value: tag, label: tag })),
  }
}

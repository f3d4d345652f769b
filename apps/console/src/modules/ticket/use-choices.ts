import { desk } from '@oms/contract/feedback-desk.ts'
import { useRead } from '#kernel/query.ts'

const option = ({ id, name }: { id: number; name: string }) => ({ value: id, label: name })

/** What tickets may be filtered and labelled by: customers, types, models, tags in use. */
export function useChoices() {
  const { data } = useRead(desk.choices, {}, { quiet: true, staleTime: 300_000 })
  return {
    tenants: (data?.tenants ?? []).map(option),
    types: (data?.types ?? []).map(option),
    models: (data?.models ?? []).map(option),
    tags: (data?.tags ?? []).map((tag) => ({ value: tag, label: tag })),
  }
}

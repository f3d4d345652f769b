import { feedback } from '@oms/contract/ticket/ticket.ts'
import { useWrite } from '#core/api/query.ts'

/** Returns a function that claims a ticket. The API client has already shown the error of a failed call. */
export function useClaim() {
  const { mutateAsync } = useWrite(feedback.claim)
  return ({ id }: { id: number }) => mutateAsync({ id }).catch(() => {})
}

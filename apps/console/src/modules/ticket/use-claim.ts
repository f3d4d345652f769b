import { feedback } from '@oms/contract/feedback.ts'
import { useWrite } from '#kernel/query.ts'

/** Takes a ticket; a refusal was told by its call. */
export function useClaim() {
  const { mutateAsync } = useWrite(feedback.claim)
  return ({ id }: { id: number }) => mutateAsync({ id }).catch(() => {})
}
